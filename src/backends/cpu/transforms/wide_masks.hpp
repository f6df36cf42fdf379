// Masks that blocks hand on are as wide as the numbers they are for.
//
// A processor without registers for masks compares into whole lanes, and selects by their highest
// bits. LLVM's code generator hands a mask on as a byte or two a lane, though: each block packs
// what it has compared, and the next one unpacks it.
//
// in:  a function
// out: the same, in which no vector of bits goes from block to block
#pragma once

#include "backends/cpu/machine/machine.hpp"

#include <llvm/IR/Function.h>

namespace hasten::backends::cpu {

/// Changes nothing where the machine has registers for masks. Linear in the size of the function.
void widen_masks(llvm::Function& function, const Machine& machine);

}  // namespace hasten::backends::cpu
