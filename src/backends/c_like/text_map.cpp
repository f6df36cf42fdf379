// Maps: a group is a rectangle of rows and columns, its shape chosen at launch by the extents.
#include "backends/c_like/skeletons.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {

// Extra: rows, and `shift`: 2^shift items of a group run along the inner axis, the rest over rows.
void emit_map(ScalarCode& code) {
  const Kernel& kernel = code.kernel();
  const std::size_t outer = kernel.rank - 1;
  const std::string inner = fmt::format("e{}", outer);
  const ScalarCode::Scope function(
      code, fmt::format("KERNEL {}{}", entry::map,
                        parameters(kernel, "const i64 rows, const i32 shift")));
  begin_function(code);
  code.line("const i64 high = 256 >> shift;");
  const ScalarCode::Scope rows(
      code, "for (i64 row = GROUP_Y * high + (ITEM >> shift); row < rows; row += GROUPS_Y * high)");
  Names index = split_row(code, "row", outer);
  const ScalarCode::Scope columns(
      code, fmt::format(
                "UNROLL for (i64 col = (GROUP << shift) + (ITEM & (((i64)1 << shift) - 1)); col < "
                "{}; col += GROUPS << shift)",
                inner));
  index.push_back("col");
  code.define(kernel.element.params, index);
  code.run(kernel.element);
  for (std::size_t i = 0; i < kernel.element.results.size(); ++i)
    code.store(i, fmt::format("row * {} + col", inner),
               ScalarCode::name(kernel.element.results[i]));
}

}  // namespace hasten::backends::c_like
