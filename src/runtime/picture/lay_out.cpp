// Inside a frame a box is below all boxes that it reads from there. Sizes are computed from the
// innermost frames outward, positions from the outermost inward.
#include "runtime/picture/boxes.hpp"

#include <algorithm>

namespace hasten::runtime {
namespace {

constexpr double letter = 7, line_height = 16, margin = 10;  // of text in a box
constexpr double across = 28, down = 44;                     // between boxes
constexpr double border = 16;                                // of a frame

class Layout {
 public:
  explicit Layout(Boxes& boxes) : boxes_(boxes.all), rows_(boxes.all.size(), 0) {
    for (const Arrow& arrow : boxes.arrows) put_below(arrow);
    find_rows();
  }

  void run() {
    for (std::size_t i = boxes_.size(); i-- > 0;) measure(boxes_[i]);
    for (Box& box : boxes_) place_inside(box);
  }

 private:
  // Puts one box below the other, or those of their enclosing boxes that are in the same frame.
  void put_below(const Arrow& arrow) {
    std::vector<std::size_t> above;
    for (std::size_t box = arrow.from; box != Box::none; box = boxes_[box].parent)
      above.push_back(box);
    for (std::size_t box = arrow.to; box != Box::none; box = boxes_[box].parent)
      for (const std::size_t other : above)
        if (boxes_[box].parent == boxes_[other].parent) {
          if (box != other) after_.push_back({other, box});
          return;
        }
  }

  // Boxes come after what they read in the plan, so that one pass is enough.
  void find_rows() {
    std::ranges::sort(after_, {}, &std::pair<std::size_t, std::size_t>::second);
    for (const auto& [above, below] : after_)
      rows_[below] = std::max(rows_[below], rows_[above] + 1);
  }

  [[nodiscard]] std::vector<std::vector<std::size_t>> rows_inside(const Box& frame) const {
    std::vector<std::vector<std::size_t>> rows;
    for (const std::size_t box : frame.inside) {
      if (rows.size() <= rows_[box]) rows.resize(rows_[box] + 1);
      rows[rows_[box]].push_back(box);
    }
    return rows;
  }

  static double title_height(const Box& frame) {
    return frame.lines.empty() ? 0 : line_height + margin;
  }

  void measure(Box& box) const {
    std::size_t longest = 0;
    for (const std::string& text : box.lines) longest = std::max(longest, text.size());
    box.width = letter * static_cast<double>(longest) + 2 * margin;
    box.height = line_height * static_cast<double>(box.lines.size()) + margin;
    if (!is_frame(box)) return;
    double height = 0;
    for (const auto& row : rows_inside(box)) {
      height += height > 0 ? down : 0;
      double width = 0, tallest = 0;
      for (const std::size_t i : row) {
        width += boxes_[i].width + (width > 0 ? across : 0);
        tallest = std::max(tallest, boxes_[i].height);
      }
      box.width = std::max(box.width, width + 2 * border);
      height += tallest;
    }
    box.height = height + 2 * border + title_height(box);
  }

  void place_inside(const Box& frame) {
    if (!is_frame(frame)) return;
    double y = frame.y + border + title_height(frame);
    for (const auto& row : rows_inside(frame)) {
      double width = 0, tallest = 0;
      for (const std::size_t i : row) width += boxes_[i].width + (width > 0 ? across : 0);
      double x = frame.x + (frame.width - width) / 2;
      for (const std::size_t i : row) {
        boxes_[i].x = x;
        boxes_[i].y = y;
        x += boxes_[i].width + across;
        tallest = std::max(tallest, boxes_[i].height);
      }
      y += tallest + down;
    }
  }

  static bool is_frame(const Box& box) {
    return box.kind == "whole" || box.kind == "frame" || box.kind == "part";
  }

  std::vector<Box>& boxes_;
  std::vector<std::size_t> rows_;  // in its frame, by box
  std::vector<std::pair<std::size_t, std::size_t>> after_;
};

}  // namespace

void lay_out(Boxes& boxes) { Layout(boxes).run(); }

}  // namespace hasten::runtime
