// Arrays that no round of a loop changes are computed once, before the first round.
//
// before: %9 = while [%1] { ... } do (%2) { %4 = fold [0] %3 ...; %5 = zip_with %4 %2 ...; -> %5 }
// after:  x1 = (the condition, of %1)
//         %9 = if x1 { %4 = fold [0] %3 ...; %8 = while [%1] { ... } do ...; -> %8 } else { -> %1 }
// why:    the surface binds what may fail where it is used, since a loop without rounds must not
//         fail; so a product outside of a loop would be computed in each of its rounds
// needs:  nothing
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

/// Moves folds, scans, sorts, scatters, compactions and elements of costly functions, with all that
/// they are made of; the rest is fused into the loop's kernels as before. Foreign functions stay.
/// Of loops in loops each is looked at by itself.
core::Program hoist_from_loops(core::Program program);

}  // namespace hasten::passes
