// What launches of a kernel need to know that is found by looking through its code: once, where its
// text is made, so that libraries that only launch come without what looks.
#pragma once

#include "backends/c_like/text/tiled_map.hpp"
#include "kernels/analysis/indices/index_width.hpp"
#include "kernels/kernel.hpp"
#include "kernels/schedule.hpp"

#include <optional>

namespace hasten::backends::c_like {

struct LaunchFacts {
  kernels::Schedule schedule;
  kernels::NarrowDemands narrow;  // of its narrow text
  std::optional<TiledMap> tiled;  // where the schedule has rows of an interior
};

[[nodiscard]] LaunchFacts launch_facts(const kernels::Kernel& kernel,
                                       const kernels::Schedule& schedule);

}  // namespace hasten::backends::c_like
