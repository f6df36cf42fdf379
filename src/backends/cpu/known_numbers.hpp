// Numbers of a launch that a form of a kernel's code knows: the distance at which neighbouring
// lanes read, and the number of elements in rows that lie across lanes.
#pragma once

#include "backends/cpu/forms.hpp"
#include "kernels/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hasten::backends::cpu {

struct KnownNumbers {
  std::int64_t number = 0;        // 0: nothing is known
  std::vector<unsigned> scalars;  // scalars of the kernel with this value
  std::size_t axis = SIZE_MAX;    // the axis with this extent; SIZE_MAX: none
};

inline KnownNumbers known_numbers(const kernels::Kernel& kernel, const kernels::Schedule& schedule,
                                  Form form) {
  if (is_apart(form)) return {known_of(form), schedule.apart_scalars, SIZE_MAX};
  const bool goes_down = accumulates(kernel) && kernel.lanes == kernels::FoldLanes::outer;
  return {known_of(form), schedule.row_scalars, kernel.rank - std::size_t{goes_down ? 2U : 1U}};
}

}  // namespace hasten::backends::cpu
