// Tiles of a map, each entirely in its interior or not: all items of a group take one branch.
#include "backends/c_like/text/tiled_map.hpp"
#include "backends/c_like/text/skeletons/skeletons.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {
namespace {

class TiledMapText {
 public:
  TiledMapText(ScalarCode& code, const TiledMap& map)
      : code_(code),
        kernel_(map.kernel),
        high_(map.high),
        tile_rows_(map.rows()),
        outer_(kernel_.rank - 2),
        rows_(fmt::format("e{}", outer_)),
        columns_(fmt::format("e{}", outer_ + 1)) {}

  // Extra: the product of the axes before the two; begin and end of the interior on each axis.
  void run() {
    std::string extra = "const ix before";
    for (std::size_t axis = 0; axis < kernel_.rank; ++axis)
      extra += fmt::format(", const ix begin{0}, const ix end{0}", axis);
    const Scope function(code_, fmt::format("KERNEL {}{}", entry::tiled, parameters(code_, extra)));
    begin_function(code_);
    code_.line(fmt::format("const ix blocks_down = ({} + {}) / {}, blocks_across = ({} + {}) / {};",
                           rows_, tile_rows_ - 1, tile_rows_, columns_, tile_columns - 1,
                           tile_columns));
    code_.line("const ix blocks = blocks_down * blocks_across;");
    const Scope task(code_, "TASK(task, before * blocks)");
    code_.line("const ix outer = task / blocks, block = task - outer * blocks;");
    code_.line(fmt::format("const ix top = block / blocks_across * {};", tile_rows_));
    code_.line(fmt::format("const ix left = block % blocks_across * {};", tile_columns));
    index_ = split_row(code_, "outer", outer_);
    code_.line(fmt::format("const ix first = top + ITEM / {} * {}, column = left + ITEM % {};",
                           tile_columns, high_, tile_columns));
    {
      const Scope interior(code_, "if (" + is_inside() + ")");
      inside();
    }
    const Scope border(code_, fmt::format("else if (column < {})", columns_));
    outside();
  }

 private:
  using Scope = ScalarCode::Scope;

  [[nodiscard]] std::string is_inside() const {
    std::string all = fmt::format(
        "top >= begin{0} && top + {1} <= end{0} && left >= begin{2} && "
        "left + {3} <= end{2}",
        outer_, tile_rows_, outer_ + 1, tile_columns);
    for (std::size_t axis = 0; axis < outer_; ++axis)
      all += fmt::format(" && {0} >= begin{1} && {0} < end{1}", index_[axis], axis);
    return all;
  }

  // All rows are read before any is written, so that reads can be shared.
  void inside() {
    const Region& element = kernel_.interior->element;
    for (std::size_t i = 0; i < element.results.size(); ++i)
      code_.line(
          fmt::format("{} x{}[{}];", register_type(code_.held_type(element.results[i])), i, high_));
    const std::string each = fmt::format("WHOLLY for (i32 j = 0; j < {}; ++j)", high_);
    {
      const Scope rows(code_, each);
      compute(element, "first + j");
      for (std::size_t i = 0; i < element.results.size(); ++i)
        code_.line(fmt::format("x{}[j] = {};", i, ScalarCode::name(element.results[i])));
    }
    const Scope rows(code_, each);
    for (std::size_t i = 0; i < element.results.size(); ++i)
      code_.store(i, place("first + j"), fmt::format("x{}[j]", i));
  }

  void outside() {
    const Scope rows(code_, fmt::format("ROLLED for (ix row = first; row < first + {} && row < {}; "
                                        "++row)",
                                        high_, rows_));
    compute(kernel_.element, "row");
    for (std::size_t i = 0; i < kernel_.element.results.size(); ++i)
      code_.store(i, place("row"), ScalarCode::name(kernel_.element.results[i]));
  }

  void compute(const Region& element, const std::string& row) {
    Names index = index_;
    index.insert(index.end(), {row, "column"});
    code_.define(element.params, index);
    code_.run(element);
  }

  [[nodiscard]] std::string place(const std::string& row) const {
    return fmt::format("(outer * {} + {}) * {} + column", rows_, row, columns_);
  }

  ScalarCode& code_;
  const Kernel& kernel_;
  std::int64_t high_, tile_rows_;
  std::size_t outer_;
  std::string rows_, columns_;
  Names index_;
};

}  // namespace

std::string tiled_source(const Kernel& kernel, std::int64_t high, const Dialect& dialect,
                         IndexWidth width) {
  const TiledMap map = tiled_map(kernel, high);
  ScalarCode code(map.kernel, dialect, index_widths(map.kernel, width));
  TiledMapText(code, map).run();
  return code.expressions.prelude(width) + code.functions + code.text;
}

}  // namespace hasten::backends::c_like
