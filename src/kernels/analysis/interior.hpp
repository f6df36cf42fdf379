// Peels borders from the interior: finds the range in which the index tests and corrections of a
// map, or a fold, have no effect.
//
// before: element (i, j) { ... max(min(j + 1, n - 1), 0) ... if j + 1 < n then ... else ... }
// after:  the same, and interior: for 0 <= j + 1 <= n - 1, element (i, j) { ... j + 1 ... }
// why:    stencils and shifted reads correct every index, which only the border needs: without
//         corrections reads are contiguous
// needs:  a simplified element function, no complex values
#pragma once

#include "kernels/kernel.hpp"

namespace hasten::kernels {

/// The axes along which tests and corrections are removed.
enum class InteriorAxes : std::uint8_t {
  /// The inner axis, and outer ones where the inner loop meets a test: for loops along rows.
  of_rows,
  all,
};

/// Sets the interior of a map, of a fold in lanes along the reduction, or of each loop of a scatter
/// whose elements do not meet, if its indices are tested or corrected along these axes.
void find_interior(Kernel& kernel, InteriorAxes axes = InteriorAxes::of_rows);

}  // namespace hasten::kernels
