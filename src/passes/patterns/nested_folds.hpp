// Makes folds of folds by the same operation one fold of the flattened axes.
//
// before: r = fold add x; s = fold add r
// after:  y = reshape x, the last two axes as one; s = fold add y
// why:    sum(sum(x)) of many small matrices is a sum of short rows; nested loops take far
//         longer
// needs:  one use of the inner fold; an operation that is associative and commutative by the table,
//         so that the grouping is free; no seeds, or one that may count any number of times: 0 of
//         sums
// provides: where indices would have to be divided, `unflatten` makes it a fold of two axes
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program flatten_nested_folds(core::Program program);

}  // namespace hasten::passes
