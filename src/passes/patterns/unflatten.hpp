// Makes folds of flattened arrays folds of several axes.
//
// before: r = reshape [n * m] a; x = map f r; s = fold [z] x
// after:  x = map f a; s = fold [z] x axes 2
// why:    an element's indices need no division, rows are contiguous, and maps over the same space
//         are known to be so
// needs:  an operator that works in lanes (one that needs an order gains nothing), and no use
//         of the flattened array but such folds, and maps for them
// provides: reshapes without uses, for dead_code
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program unflatten_folds(core::Program program);

}  // namespace hasten::passes
