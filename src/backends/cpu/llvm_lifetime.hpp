// The time during which LLVM can be used. Its tables are static locals: exit() destroys them before
// older statics of the program, whose destructors may run programs.
#pragma once

namespace hasten::backends::cpu {

/// While an object exists, this process may compile and link. Throws TargetError after that.
class LlvmUse {
 public:
  LlvmUse();
  ~LlvmUse();
  LlvmUse(const LlvmUse&) = delete;
  LlvmUse& operator=(const LlvmUse&) = delete;
};

/// If this thread ends the process, it first waits, for at most 2 seconds, for other threads that
/// compile: otherwise the tables they are creating would be destroyed meanwhile.
void wait_for_llvm_at_exit();

/// Whether exit() may have destroyed objects that LLVM needs.
[[nodiscard]] bool llvm_is_gone();

}  // namespace hasten::backends::cpu
