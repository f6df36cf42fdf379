// Numbers of a launch that a form of a kernel's code knows: the distance at which neighbouring
// lanes read, and the number of elements in rows that lie across lanes. Mixed forms know the number
// of columns alone, and that lanes read elements one to four apart.
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
  bool has_near_steps = false;    // whether other scalars are small numbers, too
};

inline KnownNumbers known_numbers(const kernels::Kernel& kernel, const kernels::Schedule& schedule,
                                  Form form) {
  if (is_apart(form)) return {known_of(form), schedule.apart_scalars, SIZE_MAX};
  if (is_mixed(form) && kernel.skeleton == kernels::Skeleton::fold)
    return {known_of(form), schedule.apart_scalars, kernel.rank - std::size_t{2}};
  if (is_mixed(form)) return {known_of(form), {}, kernel.rank - std::size_t{1}, true};
  const bool goes_down = accumulates(kernel) && kernel.lanes == kernels::FoldLanes::outer;
  return {known_of(form), schedule.row_scalars, kernel.rank - std::size_t{goes_down ? 2U : 1U}};
}

}  // namespace hasten::backends::cpu
