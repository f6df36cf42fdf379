// A kernel's text: the foreign functions it calls, the prelude, then its functions.
#include "backends/c_like/text/source.hpp"

#include "backends/c_like/text/skeletons/skeletons.hpp"
#include "backends/c_like/text/tiled_map.hpp"
#include "core/foreign.hpp"
#include "kernels/analysis/foreign_functions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace hasten::backends::c_like {
namespace {

void emit(ScalarCode& code, Functions& functions) {
  switch (code.kernel().skeleton) {
    case kernels::Skeleton::map: return emit_map(code, functions);
    case kernels::Skeleton::segments: return emit_segment_elements(code, functions);
    case kernels::Skeleton::fold: return emit_fold(code, functions);
    case kernels::Skeleton::scan: return emit_scan(code, functions);
    case kernels::Skeleton::scatter: return emit_scatter(code, functions);
    case kernels::Skeleton::compact: return emit_compact(code, functions);
  }
}

// Precedes the generator's names, which foreign texts may use with other meanings.
std::string foreign_text(const Kernel& kernel, const Dialect& dialect) {
  std::string text;
  std::set<std::string_view> known;  // one text may define several functions
  for (const detail::ForeignFunction* function : kernels::foreign_functions(kernel)) {
    if (function->source.empty()) core::fail_only_named(function->name);
    if (!known.insert(function->source).second) continue;
    text += fmt::format("#line 1 \"{}\"\n{}\n", function->name, function->source);
  }
  return text.empty() ? text : dialect.extensions + text + "#line 1 \"kernel\"\n";
}

}  // namespace

std::string foreign_names(const Kernel& kernel) {
  std::vector<std::string> names;
  for (const detail::ForeignFunction* function : kernels::foreign_functions(kernel))
    names.push_back(function->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string_view module_of(const Dialect& dialect, std::string_view function) {
  const bool is_large = function == entry::contraction || function == entry::tiled;
  return dialect.module_per_function || is_large ? function : main_module;
}

std::vector<std::string_view> modules_of(const Kernel& kernel, const kernels::Schedule& schedule,
                                         const Dialect& dialect) {
  std::vector<std::string_view> modules;
  if (!dialect.module_per_function) {
    modules.emplace_back(main_module);
  } else {
    ScalarCode code(kernel, dialect, index_widths(kernel, IndexWidth::narrow));
    Functions none("");
    emit(code, none);
    modules = none.all();
    // One item folds each row if rows are short, or side by side in memory.
    if (modules.front() == entry::rows && kernel.lanes != kernels::FoldLanes::outer)
      std::ranges::reverse(modules);
  }
  const auto at = dialect.module_per_function ? modules.begin() : modules.end();
  if (schedule.group.high > 0)
    modules.insert(at, entry::contraction);
  else if (schedule.interior_rows > 0)
    modules.insert(at, entry::tiled);
  return modules;
}

std::string source_of(const Kernel& kernel, const kernels::Schedule& schedule,
                      const Dialect& dialect, IndexWidth width, std::string_view module,
                      bool polls) {
  const std::string foreign = foreign_text(kernel, dialect);
  if (module == entry::tiled)
    return foreign + tiled_source(kernel, schedule.interior_rows, dialect, width);
  ScalarCode code(kernel, dialect, index_widths(kernel, width), polls);
  if (module == entry::contraction) {
    emit_contraction(code, schedule.group);
  } else {
    Functions functions(module);
    emit(code, functions);
  }
  return foreign + code.expressions.prelude(width) + code.functions + code.text;
}

}  // namespace hasten::backends::c_like
