// Makes gathers and scatters use 32-bit indices, where the operands of the indices show that 32
// bits suffice.
//
// An instruction takes twice as many indices of 32 bits as of 64, so half as many instructions move
// the same lanes. LLVM's code generator sees that an index was extended only if the extension is in
// the same block. Of indices that are clamped to an array, 32-bit numbers known not to be negative,
// its optimizer knows more than its code generator, which ignores `zext nneg`.
//
// in:  a function
// out: the same, in which such indices are sign-extended where they are used; terms that all lanes
//      add to them are moved into the address of the array
#pragma once

#include <llvm/IR/Function.h>

namespace hasten::backends::cpu {

/// Linear in the size of the function.
void narrow_indices(llvm::Function& function);

}  // namespace hasten::backends::cpu
