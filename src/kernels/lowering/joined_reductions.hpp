// Reductions of one range become one, with the leaves of both.
//
// before: s = reduce(n, i -> x[i] - m), q = reduce(n, i -> (x[i] - m)^2)
// after:  s, q = reduce(n, i -> (x[i] - m, (x[i] - m)^2))
// why:    the range is read once, what elements share is computed once, and neither reduction waits
//         for the other's last steps
#pragma once

#include "kernels/kernel.hpp"

namespace hasten::kernels {

/// Of the element's own reductions, those that depend on the same indices of the space, and whose
/// operators need no order. The elements are not simplified. Returns whether there are any.
bool join_reductions(Kernel& kernel);

}  // namespace hasten::kernels
