// Gathers and scatters by indices of 32 bits, where what these are made of shows that 32 are
// enough.
//
// An instruction takes twice as many indices of 32 bits as of 64, so half as many instructions move
// the same lanes. LLVM's code generator sees that an index was extended only where that stands in
// the same block. Of indices that are clamped to an array, numbers of 32 bits that are known not to
// be negative, its optimizer knows more than its code generator: `zext nneg` means nothing there.
//
// in:  a function
// out: the same, in which such indices are extended with their sign where they are used; what all
//      lanes add to them goes to the address of the array
#pragma once

#include <llvm/IR/Function.h>

namespace hasten::backends::cpu {

/// Linear in the size of the function.
void narrow_indices(llvm::Function& function);

}  // namespace hasten::backends::cpu
