// Makes masks that blocks pass on as wide as the numbers they apply to.
//
// A processor without mask registers compares into whole lanes, and selects by their highest bits.
// LLVM's code generator passes a mask on as one or two bytes per lane, though: each block packs the
// results of its comparisons, and the next one unpacks them.
//
// in:  a function
// out: the same, in which no vector of bits is passed from block to block
#pragma once

#include "backends/cpu/machine/machine.hpp"

#include <llvm/IR/Function.h>

namespace hasten::backends::cpu {

/// Changes nothing where the machine has mask registers. Linear in the size of the function.
void widen_masks(llvm::Function& function, const Machine& machine);

}  // namespace hasten::backends::cpu
