// Makes folds of folds by the same operation one fold of the flattened axes, or of several axes.
//
// before: r = fold add x; s = fold add r
// after:  y = reshape x, the last two axes as one; s = fold add y
// or:     s = fold add x axes 2, where x is generated and reads rows that the last axis of results
//         goes along, as a convolution of many channels does
// why:    sum(sum(x)) of many small matrices is a sum of short rows; nested loops take far
//         longer. A convolution's inner sums would be stored for each channel
// needs:  one use of the inner fold; an operation that is associative and commutative by the table,
//         so that the grouping is free; no seeds, or one that may count any number of times: 0 of
//         sums. For several axes: more elements than `short_folds` writes out
// provides: where indices would have to be divided, `unflatten` makes it a fold of two axes
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program flatten_nested_folds(core::Program program);

}  // namespace hasten::passes
