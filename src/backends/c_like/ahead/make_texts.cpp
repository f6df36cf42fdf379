// Generates both widths of every module, because the importing process has no generator of texts.
#include "backends/c_like/ahead/texts.hpp"
#include "backends/c_like/launch/launch.hpp"
#include "backends/c_like/text/schedule.hpp"

namespace hasten::backends {

TextKernel text_kernel(const kernels::Kernel& kernel, const CompileOptions& options,
                       const c_like::Dialect& dialect) {
  using c_like::IndexWidth;
  const kernels::Schedule schedule = c_like::choose_schedule(kernel);
  TextKernel out{c_like::launch_facts(kernel, schedule), options, {}};
  const auto modules = c_like::modules_of(kernel, schedule, dialect);
  for (const IndexWidth width : {IndexWidth::narrow, IndexWidth::wide})
    for (const std::string_view module : modules)
      out.modules.push_back({std::string(module),
                             width == IndexWidth::wide,
                             {},
                             c_like::source_of(kernel, schedule, dialect, width, module)});
  return out;
}

std::vector<TextModule> common_texts(const c_like::Dialect& dialect, bool with_sorts) {
  std::vector<TextModule> all{{c_like::fill_program, true, {}, c_like::fill_source(dialect)}};
  if (!with_sorts) return all;
  for (const c_like::SortProgram& program : c_like::sort_programs(dialect))
    all.push_back({program.name, true, {}, program.text(dialect)});
  return all;
}

}  // namespace hasten::backends
