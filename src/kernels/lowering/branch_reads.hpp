// Reads of a row leave the branches of a fold's element.
//
// before: element (i, k) { ... if i == k then c else { ... load %0.0 (3 * i) ... } }
// after:  element (i, k) { x = load %0.0 (3 * i, at most the last) ... if i == k then c else ... }
// why:    code inside branches is not hoisted out of the loop over k, since it may be out of range
//         where the branch is not taken; limited to the array, it is safe everywhere
#pragma once

#include "kernels/kernel_builder.hpp"

namespace hasten::kernels {

/// For folds that have no range; their rows are long enough for one more operation a row.
void hoist_from_branches(KernelBuilder& builder);

}  // namespace hasten::kernels
