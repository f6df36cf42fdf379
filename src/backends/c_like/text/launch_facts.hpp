// Facts that launches of a kernel need and that are found by analysing its code: once, where its
// text is generated, so that libraries that only launch contain no analyses.
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
