// Folds of flattened arrays become folds of several axes.
//
// before: r = reshape [n * m] a; x = map f r; s = fold [z] x
// after:  x = map f a; s = fold [z] x axes 2
// why:    an element's indices need no division, rows are contiguous, and maps over the same space
//         are known to be so
// needs:  an operator that goes in lanes (one that needs an order gains nothing), and nothing but
//         such folds, and maps for them, for the flattened array
// provides: reshapes that nobody uses, for dead_code
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program unflatten_folds(core::Program program);

}  // namespace hasten::passes
