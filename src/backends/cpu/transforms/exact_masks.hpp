// Clears the bits beyond the eighth in masks of eight bytes.
//
// AVX-512 has registers of 16 bytes and more: code for eight bytes uses the first half of one, with
// a mask whose other bits must be off. LLVM 19 clears them by `kmovb`, which its register allocator
// treats as a copy (X86's table says isMoveReg): where the result is spilled, the original is
// stored instead, and eight bytes beyond the last lane are accessed. An addition of masks is no
// copy, and clears the bits as well.
//
// in:  a function
// out: the same, with masks of masked loads and stores of eight bytes cleared by `kaddb`
#pragma once

#include "backends/cpu/machine/machine.hpp"

#include <llvm/IR/Function.h>

namespace hasten::backends::cpu {

/// Changes nothing where the machine has no mask registers. Linear in the size of the function.
void clear_masks(llvm::Function& function, const Machine& machine);

}  // namespace hasten::backends::cpu
