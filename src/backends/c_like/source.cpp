// A kernel's text: the prelude, then its functions.
#include "backends/c_like/source.hpp"

#include "backends/c_like/skeletons.hpp"
#include "backends/c_like/tiled_map.hpp"

#include <algorithm>

namespace hasten::backends::c_like {
namespace {

void emit(ScalarCode& code, Functions& functions) {
  switch (code.kernel().skeleton) {
    case kernels::Skeleton::map: return emit_map(code, functions);
    case kernels::Skeleton::fold: return emit_fold(code, functions);
    case kernels::Skeleton::scan: return emit_scan(code, functions);
    case kernels::Skeleton::scatter: return emit_scatter(code, functions);
    case kernels::Skeleton::compact: return emit_compact(code, functions);
  }
}

}  // namespace

std::string_view unit_of(Dialect dialect, std::string_view function) {
  const bool is_large = function == entry::contraction || function == entry::tiled;
  return dialect == Dialect::cuda || is_large ? function : main_unit;
}

std::vector<std::string_view> units_of(const Kernel& kernel, Dialect dialect) {
  std::vector<std::string_view> units;
  if (dialect == Dialect::opencl) {
    units.emplace_back(main_unit);
  } else {
    ScalarCode code(kernel, dialect, index_widths(kernel, IndexWidth::narrow));
    Functions none("");
    emit(code, none);
    units = none.all();
    // Rows are an item's each where they are short, or side by side in memory.
    if (units.front() == entry::rows && kernel.lanes != kernels::FoldLanes::outer)
      std::ranges::reverse(units);
  }
  const auto at = dialect == Dialect::opencl ? units.end() : units.begin();
  if (contraction_tile(kernel).high > 0)
    units.insert(at, entry::contraction);
  else if (tiled_map(kernel))
    units.insert(at, entry::tiled);
  return units;
}

std::string source_of(const Kernel& kernel, Dialect dialect, IndexWidth width,
                      std::string_view unit) {
  if (unit == entry::tiled) return tiled_source(kernel, dialect, width);
  ScalarCode code(kernel, dialect, index_widths(kernel, width));
  if (unit == entry::contraction) {
    emit_contraction(code);
  } else {
    Functions functions(unit);
    emit(code, functions);
  }
  return code.speller.prelude(width) + code.text;
}

}  // namespace hasten::backends::c_like
