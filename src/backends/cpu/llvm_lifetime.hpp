// How long LLVM can be used. Its tables are statics of functions: exit() destroys them before the
// statics of a program that were there before them, whose destructors may run programs.
#pragma once

namespace hasten::backends::cpu {

/// While there is one, this process may compile and link. Throws TargetError once it no longer can.
class LlvmUse {
 public:
  LlvmUse();
  ~LlvmUse();
  LlvmUse(const LlvmUse&) = delete;
  LlvmUse& operator=(const LlvmUse&) = delete;
};

/// If it is this thread that ends the process, it waits first, for 2 seconds at most, for others
/// that compile: tables which they are making would be destroyed meanwhile.
void wait_for_llvm_at_exit();

/// Whether exit() may have destroyed what LLVM needs.
[[nodiscard]] bool llvm_is_gone();

}  // namespace hasten::backends::cpu
