// Scans whose results are read with axes in another order scan where the axis will be.
//
// before: t = backpermute (i, k -> k, i) x; s = scan f t; r = backpermute (k, i -> i, k) s
// after:  r = scan inner_axes 1 f x, also with maps, and index operations that work axis by axis,
// in
//         between
// why:    no array in the order of the scan, and no transposing: neighbours are read and written
//         together
// needs:  one use for each array from the scan to the operation that moves the axis, all in one
//         block; elements that do not lie along the scanned axis in memory
// provides: index operations that do nothing, which are left out
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program move_scan_axes(core::Program program);

}  // namespace hasten::passes
