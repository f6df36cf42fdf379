// Scatters of several loops: one function per loop, and one that calls the function named by the
// flags. The loop is chosen once per task, where the launch is cut, and not per element.
#include "backends/cpu/emit/skeletons.hpp"

#include <string>

namespace hasten::backends::cpu {
namespace {

llvm::Function* emit_loop(const KernelModule& module, std::size_t loop, unsigned lanes) {
  const kernels::Kernel alone = kernels::kernel_of_loop(module.kernel, loop);
  const std::string name = "loop_" + std::to_string(loop);
  const KernelModule own{module.llvm, alone, module.machine, module.options,
                         module.layout.from_axis(kernels::first_axis(module.kernel, loop))};
  llvm::Function* const function = declare_part(own, name.c_str());
  emit_scatter_loop(own, function, lanes);
  return function;
}

void call(llvm::IRBuilder<>& b, llvm::Function* loop, llvm::ArrayRef<llvm::Value*> arguments) {
  b.CreateCall(loop, arguments);
  b.CreateRetVoid();
}

}  // namespace

void emit_loops(const KernelModule& module, const kernels::Schedule& schedule) {
  std::vector<llvm::Function*> loops;
  for (std::size_t i = 0; i < module.kernel.loops.size(); ++i)
    loops.push_back(emit_loop(module, i, schedule.loop_lanes[i]));
  llvm::Function* const run = declare_run(module);
  llvm::LLVMContext& context = module.llvm.getContext();
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", run));
  llvm::Value* const flags = run->getArg(6);
  std::vector<llvm::Value*> arguments;
  for (llvm::Argument& argument : run->args()) arguments.push_back(&argument);
  arguments[6] = b.CreateAnd(flags, b.getInt64((1U << run_loop) - 1));
  llvm::BasicBlock* const last = llvm::BasicBlock::Create(context, "last", run);
  llvm::SwitchInst* const which = b.CreateSwitch(b.CreateLShr(flags, run_loop), last);
  for (std::size_t i = 0; i + 1 < loops.size(); ++i) {
    llvm::BasicBlock* const chosen = llvm::BasicBlock::Create(context, "loop", run, last);
    which->addCase(b.getInt64(i), chosen);
    b.SetInsertPoint(chosen);
    call(b, loops[i], arguments);
  }
  b.SetInsertPoint(last);
  call(b, loops.back(), arguments);
}

}  // namespace hasten::backends::cpu
