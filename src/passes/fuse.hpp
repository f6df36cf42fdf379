// Decides which arrays reach memory, and which of them one kernel makes.
//
// before: every binding is undecided
// after:  each is manifest (a kernel writes it, or it is a view, an input, a result of control
//         flow) or delayed (inlined into its consumers), with its reason; bindings that one kernel
//         makes have the same group and are adjacent
// why:    an array that is not stored costs no memory traffic, and an array that two results need
//         is read once
// needs:  no literal slots
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program fuse(core::Program program);

}  // namespace hasten::passes
