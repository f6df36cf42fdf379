// Borders apart from the interior: finds where a map's index tests and corrections do nothing.
//
// before: element (i, j) { ... max(min(j + 1, n - 1), 0) ... if j + 1 < n then ... else ... }
// after:  the same, and interior: for 0 <= j + 1 <= n - 1, element (i, j) { ... j + 1 ... }
// why:    stencils and shifted reads correct every index, which only the border needs: without
//         corrections reads are contiguous
// needs:  a simplified element function, no complex values
#pragma once

#include "kernels/kernel.hpp"

namespace hasten::kernels {

/// Gives a map its Kernel::interior, if its indices are tested or corrected along the inner axis,
/// or along an outer one by a test that the inner loop meets.
void find_interior(Kernel& kernel);

}  // namespace hasten::kernels
