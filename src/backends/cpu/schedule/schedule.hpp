// The number of lanes in which a kernel runs, and the rough cost of an element.
#pragma once

#include "backends/cpu/emit/hoisting.hpp"
#include "backends/cpu/machine/machine.hpp"
#include "kernels/kernel.hpp"
#include "kernels/schedule.hpp"

#include <cstdint>
#include <string>

namespace hasten::backends::cpu {

[[nodiscard]] kernels::Schedule choose_schedule(const kernels::Kernel& kernel,
                                                const Machine& machine);

/// "32 lanes across, tiles of 14 x 32 results from panels where these pay"
[[nodiscard]] std::string describe(const kernels::Schedule& schedule,
                                   const kernels::Kernel& kernel);

/// The function of most elements of the space: the interior's if there is one.
inline const kernels::Region& usual_element(const kernels::Kernel& kernel) {
  return kernel.interior ? kernel.interior->element : kernel.element;
}

/// Places of the parameters of `element`: outer indices at level 1, the lanes' index at level 2.
std::vector<Place> element_places(const kernels::Kernel& kernel, bool lanes);
/// The same if each lane goes through a run of the inner axis, step by step.
std::vector<Place> places_of_runs(const kernels::Kernel& kernel);

}  // namespace hasten::backends::cpu
