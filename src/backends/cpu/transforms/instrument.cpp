// Provides the analyses and options of LLVM's pass.
#include "backends/cpu/transforms/instrument.hpp"

#include <llvm/Transforms/Instrumentation/AddressSanitizer.h>

namespace hasten::backends::cpu {

void watch_addresses(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) function.addFnAttr(llvm::Attribute::SanitizeAddress);
  // Constants have no redzones: constructors would register these, and nothing runs constructors.
  for (llvm::GlobalVariable& constant : module.globals()) {
    llvm::GlobalValue::SanitizerMetadata unwatched;
    unwatched.NoAddress = true;
    constant.setSanitizerMetadata(unwatched);
  }
  llvm::AddressSanitizerOptions options;
  options.UseAfterReturn = llvm::AsanDetectStackUseAfterReturnMode::Never;
  options.InsertVersionCheck = false;
  options.InstrumentationWithCallsThreshold = 0;  // inline checks take long to compile
  llvm::AddressSanitizerPass(options, /*UseGlobalGC=*/false, /*UseOdrIndicator=*/false,
                             llvm::AsanDtorKind::None, llvm::AsanCtorKind::None)
      .run(module, analyses);
}

}  // namespace hasten::backends::cpu
