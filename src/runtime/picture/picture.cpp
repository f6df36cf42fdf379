// SVG without scripts or embedded fonts, so that every browser and editor shows the same.
#include "runtime/picture/picture.hpp"

#include "core/print.hpp"
#include "runtime/picture/boxes.hpp"
#include "runtime/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace hasten::runtime {
namespace {

constexpr double head = 34;  // room for the title

constexpr const char* style = R"(<style>
text { font: 12px monospace; fill: #1a1a1a }
.name { font-weight: bold }
.small { font-size: 10px; fill: #555 }
rect { stroke: #555; rx: 4 }
.launch { fill: #dbe9ff } .sort { fill: #e8dcff } .foreign { fill: #ffe3cc }
.array { fill: #f2f2f2 } .frame { fill: #fbfbf0; stroke-dasharray: 6 3 } .part { fill: #fff }
path { fill: none; stroke: #777 }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
 orient="auto"><path d="M0,0 L8,4 L0,8" /></marker></defs>
)";

// Characters that XML 1.0 forbids become spaces; bytes beyond ASCII are taken as UTF-8.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&apos;"; break;
      default: result += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c; break;
    }
  }
  return result;
}

std::string drawn(const Box& box) {
  std::string text =
      fmt::format(R"(<g><rect class="{}" x="{:.0f}" y="{:.0f}" width="{:.0f}" height="{:.0f}" />)",
                  box.kind, box.x, box.y + head, box.width, box.height);
  if (!box.hint.empty()) text += "<title>" + escaped(box.hint) + "</title>";
  double y = box.y + head + 17;
  bool is_first = true;
  for (const std::string& line : box.lines) {
    text += fmt::format(R"(<text{} x="{:.0f}" y="{:.0f}">{}</text>)",
                        is_first ? R"( class="name")" : "", box.x + 10, y, escaped(line));
    is_first = false;
    y += 16;
  }
  return text + "</g>\n";
}

// From the middle of one box's lower edge to the middle of the other's upper edge.
std::string drawn(const Arrow& arrow, const Boxes& boxes) {
  const Box &from = boxes.all[arrow.from], &to = boxes.all[arrow.to];
  const double x0 = from.x + from.width / 2, y0 = from.y + from.height + head;
  const double x1 = to.x + to.width / 2, y1 = to.y + head, bend = (y1 - y0) / 2;
  std::string text = fmt::format(
      R"svg(<path marker-end="url(#tip)" d="M{:.0f},{:.0f} C{:.0f},{:.0f} {:.0f},{:.0f} {:.0f},{:.0f}" />)svg",
      x0, y0, x0, y0 + bend, x1, y1 - bend, x1, y1);
  text += fmt::format(R"(<text class="small" x="{:.0f}" y="{:.0f}">{}</text>)", (x0 + x1) / 2 + 4,
                      (y0 + y1) / 2 + 3, escaped(fmt::format("{}", fmt::join(arrow.types, ", "))));
  return text + "\n";
}

}  // namespace

Picture picture(const detail::Executable& executable) {
  const kernels::Plan& plan = executable.plan();
  const Recording::Seen seen = executable.recording().seen();
  Boxes boxes =
      boxes_of(plan, executable.is_interpreted() ? std::vector<Recording::SeenSite>{} : seen.sites);
  lay_out(boxes);
  const Box& whole = boxes.all.front();
  const std::string title =
      fmt::format("program at {}, target {}: {}", core::print(executable.where()),
                  executable.device().name, counted(kernels::kernel_count(plan), "kernel"));
  const double width = std::max(whole.width, 7.5 * static_cast<double>(title.size()) + 20);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n",
      width, whole.height + head);
  svg += style;
  svg += fmt::format("<text class=\"name\" x=\"10\" y=\"22\">{}</text>\n", escaped(title));
  for (std::size_t i = 1; i < boxes.all.size(); ++i) svg += drawn(boxes.all[i]);
  for (const Arrow& arrow : boxes.arrows) svg += drawn(arrow, boxes);
  return Picture(svg + "</svg>\n");
}

}  // namespace hasten::runtime
