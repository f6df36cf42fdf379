// How a map's lanes and rows are arranged.
#pragma once

#include "backends/cpu/schedule/census.hpp"
#include "kernels/schedule.hpp"

namespace hasten::backends::cpu {

/// Chooses windows of values that many rows share, tiles of rows, lanes that are apart, and code
/// for short rows. Short rows are run without a window of one row. `registers`: of one value.
void choose_for_maps(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                     const Census& census, const HoistingLevels& places,
                     const std::optional<kernels::SlidingWindow>& window, unsigned registers,
                     const Machine& machine);

}  // namespace hasten::backends::cpu
