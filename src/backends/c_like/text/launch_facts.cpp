// Facts about both texts that a launch may run.
#include "backends/c_like/text/launch_facts.hpp"

namespace hasten::backends::c_like {

LaunchFacts launch_facts(const kernels::Kernel& kernel, const kernels::Schedule& schedule) {
  LaunchFacts facts{schedule, index_widths(kernel, IndexWidth::narrow), std::nullopt};
  if (schedule.interior_rows > 0) facts.tiled = tiled_map(kernel, schedule.interior_rows);
  return facts;
}

}  // namespace hasten::backends::c_like
