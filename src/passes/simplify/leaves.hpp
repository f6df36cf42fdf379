// Drops components of arrays that nothing reads, and components of the state of loops on which no
// round and no result depends: they are neither computed nor stored.
//
// before: %1 : [(f32, f32); 1] = map %0 (x) { ...; -> x1, x2 }; %2 = fold %1 of the second leaf
// after:  %1 : [f32; 1] = map %0 (x) { ...; -> x2 }; ...
// why:    a component in memory costs its stores; a kernel's own dead code is found without this
// needs:  nothing. Results of the program, its arguments and what foreign code makes or takes stay
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program drop_dead_leaves(core::Program program);

}  // namespace hasten::passes
