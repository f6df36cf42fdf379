// The order of instructions within long blocks of arithmetic.
#pragma once

#include "backends/cpu/machine/machine.hpp"

#include <llvm/IR/Function.h>

namespace hasten::backends::cpu {

/// Whether some block consists only of arithmetic and loads, and enough of them that order matters.
bool order_matters(llvm::Function& function, const Machine& machine);

/// Orders blocks that consist only of arithmetic and loads so that long dependence chains overlap.
/// A processor looks some hundred instructions ahead, which a polynomial in several registers
/// already fills; chains emitted one after the other would run one after the other. LLVM's own
/// schedulers keep the order of the program except to save registers.
void interleave_chains(llvm::Function& function, const Machine& machine);

}  // namespace hasten::backends::cpu
