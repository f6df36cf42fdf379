// Decides which arrays reach memory.
//
// before: every binding is undecided
// after:  each is manifest (a kernel writes it, or it is a view, an input, a result of control
//         flow) or delayed (inlined into its consumers), with its reason
//
// A delayed array costs its work once per evaluation, so it is delayed when it is evaluated once
// per element of one kernel, or when that work is less than a store and a load. Contexts of
// evaluation are (kernel, index path) pairs: two consumers in one kernel which read the same
// element share it.
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program fuse(core::Program program);

}  // namespace hasten::passes
