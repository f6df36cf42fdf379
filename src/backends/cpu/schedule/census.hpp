// The work of an element function's lanes, counted.
#pragma once

#include "backends/cpu/emit/hoisting.hpp"
#include "backends/cpu/machine/machine.hpp"
#include "kernels/analysis/sliding_window.hpp"
#include "kernels/kernel.hpp"

#include <cstddef>
#include <optional>

namespace hasten::backends::cpu {

struct Census {
  double nanoseconds = 0;
  unsigned statements = 0;  // computed anew for every vector
  bool heavy = false;       // calls, gathers, divisions of integers: one register is enough
  bool chains = false;      // inline polynomials: their chains need work beside them
  bool branches = false;
  bool loops = false;
  bool diverges = false;        // lanes leave a loop at different times
  bool goes_by_blocks = false;  // all such loops are computed several rounds at a time
  bool shared = false;          // all rows of a fold read the same elements of some array
  std::size_t widest = 0;       // bytes of the widest value that is computed or moved
  std::size_t reduced = 0;      // bytes of the widest leaf of a reduction that lanes fold in order
};

/// `places`: of the usual element's values; `window`: of that element, if it has one.
[[nodiscard]] Census census_of(const kernels::Kernel& kernel, const HoistingLevels& places,
                               const Machine& machine,
                               const std::optional<kernels::SlidingWindow>& window);

[[nodiscard]] bool is_division(core::ScalarOp op);

}  // namespace hasten::backends::cpu
