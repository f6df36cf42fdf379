// Divides vectors of 64-bit numbers by constants with multiplications of vectors.
//
// LLVM's code generator multiplies such numbers lane by lane, with the registers that the
// processor's 128-bit product is bound to: for one division of eight lanes, some fifty
// instructions. Its scheduler takes time that grows with the square of their number.
//
// in:  a function
// out: the same, in which no vector of four or more such numbers is divided by a constant that is
//      no power of two
#pragma once

#include <llvm/IR/Function.h>

namespace hasten::backends::cpu {

/// Linear in the size of the function.
void multiply_by_reciprocals(llvm::Function& function);

}  // namespace hasten::backends::cpu
