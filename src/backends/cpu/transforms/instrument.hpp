// Generated code that AddressSanitizer watches: see support/sanitizers.hpp.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace hasten::backends::cpu {

/// Has each access to memory checked, as a compiler's -fsanitize=address does: a kernel that reads
/// or writes beside an array ends the process with a report. The module is to be linked into a
/// process that holds AddressSanitizer's run-time library.
void watch_addresses(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);

}  // namespace hasten::backends::cpu
