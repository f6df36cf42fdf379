// Scans whose results are read with permuted axes scan along the axis' final position.
//
// before: t = backpermute (i, k -> k, i) x; s = scan f t; r = backpermute (k, i -> i, k) s
// after:  r = scan inner_axes 1 f x, also with maps, and index operations that work axis by axis,
//         in between
// why:    no array in the order of the scan, and no transposition: neighbours are read and written
//         together
// needs:  one use of each array from the scan to the operation that moves the axis, all in one
//         block; elements that are not contiguous along the scanned axis in memory
// provides: index operations that do nothing, which are removed
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program move_scan_axes(core::Program program);

}  // namespace hasten::passes
