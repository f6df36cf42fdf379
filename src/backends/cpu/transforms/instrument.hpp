// Instruments generated code for AddressSanitizer: see support/sanitizers.hpp.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace hasten::backends::cpu {

/// Has each memory access checked, as a compiler's -fsanitize=address does: a kernel that accesses
/// memory outside an array ends the process with a report. The process that the module is linked
/// into must contain AddressSanitizer's run-time library.
void watch_addresses(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);

}  // namespace hasten::backends::cpu
