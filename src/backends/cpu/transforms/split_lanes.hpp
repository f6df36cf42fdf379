// Values of several registers become values of one register each.
//
// LLVM's code generator does the same by itself, but for masks: the bits of all lanes that a block
// hands on become one value, packed at its end and unpacked at the start of the next, which costs a
// loop whose lanes leave at different times more than its rounds.
//
// in:  a function whose vectors have several registers' lanes
// out: the same, a register at a time, if blocks of it hand on masks; what has no lanes of its own
//      keeps its form
#pragma once

#include "backends/cpu/machine/machine.hpp"

#include <llvm/IR/Function.h>

namespace hasten::backends::cpu {

/// `lanes` is what values have. Whether anything was split: then chains of several registers are
/// side by side. Linear in the size of the function.
bool split_lanes(llvm::Function& function, unsigned lanes, const Machine& machine);

}  // namespace hasten::backends::cpu
