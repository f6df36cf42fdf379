// One module per kernel, a short pipeline (the code is already vectorised), LLVM's code generator.
#include "backends/cpu/compile.hpp"

#include <hasten/run/error.hpp>

#include "backends/cpu/emit/skeletons.hpp"
#include "backends/cpu/llvm_lifetime.hpp"
#include "backends/cpu/schedule/schedule.hpp"
#include "backends/cpu/transforms/exact_masks.hpp"
#include "backends/cpu/transforms/fused_products.hpp"
#include "backends/cpu/transforms/instruction_order.hpp"
#include "backends/cpu/transforms/instrument.hpp"
#include "backends/cpu/transforms/narrow_indices.hpp"
#include "backends/cpu/transforms/split_lanes.hpp"
#include "backends/cpu/transforms/wide_divisions.hpp"
#include "backends/cpu/transforms/wide_masks.hpp"
#include "support/env.hpp"
#include "support/sanitizers.hpp"

#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <set>

namespace hasten::backends::cpu {
namespace {

// LLVM's default handler ends the process. This exception only leaks the objects it skips.
void no_memory(void*, const char*, bool) { throw std::bad_alloc(); }

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Machine& machine) {
  initialize_llvm();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(machine.triple, error);
  if (!target) throw TargetError("LLVM has no code generator for this machine: " + error);
  llvm::TargetOptions options;
  // Watched code is long, and compiled to be checked, not to be fast.
  const auto effort =
      support::watches_addresses() ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(machine.triple, machine.cpu, machine.features, options,
                                  llvm::Reloc::PIC_, llvm::CodeModel::Small, effort, true));
}

bool checks_modules() {
#ifdef NDEBUG
  return support::env_number("HASTEN_DEBUG").value_or(0) > 0;
#else
  return true;
#endif
}

void verify_module(const llvm::Module& module, const kernels::Kernel& kernel) {
  if (!checks_modules()) return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!llvm::verifyModule(module, &stream)) return;
  module.print(stream, nullptr);
  throw InternalError("cpu: wrong LLVM IR: " + stream.str() + "\nfrom " + kernels::print(kernel));
}

// `arrange` is called on each function at the end, before instrumentation is added.
void optimize(llvm::Module& module, llvm::TargetMachine& target,
              const std::function<void(llvm::Function&)>& arrange) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&target);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1)));
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) passes.run(function, functions);
  for (llvm::Function& function : module) arrange(function);
  if (!support::watches_addresses()) return;
  functions.clear();
  watch_addresses(module, modules);
}

// The time of LLVM's register allocator grows with the square of the number of blocks. Compiling
// code with thousands of branches takes longer than running it: 1,000 take ten seconds with it, and
// one without. The fast allocator needs stack, though: each value that is live across blocks has
// its own slot, and threads have a few megabytes.
bool is_huge(const llvm::Function& function) {
  constexpr std::size_t blocks_max = 4'000, instructions_max = 60'000;
  constexpr std::uint64_t stack_bytes_max = 1 << 20;
  if (function.size() <= blocks_max && function.getInstructionCount() <= instructions_max)
    return false;
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  std::uint64_t bytes = 0;
  for (const llvm::BasicBlock& block : function)
    for (const llvm::Instruction& i : block)
      if (llvm::isa<llvm::PHINode>(i) || i.isUsedOutsideOfBlock(&block))
        bytes += layout.getTypeAllocSize(i.getType());
  return bytes <= stack_bytes_max;
}

// Two of LLVM's passes over machine code take time that grows with the square of a block's length:
// one compares each constant that it takes out of a loop with all others, one counts the block's
// instructions whenever it reorders a sum. So many constants would not stay in registers either.
bool has_long_block(const llvm::Function& function) {
  constexpr std::size_t instructions_max = 2'000;
  return std::ranges::any_of(
      function, [](const llvm::BasicBlock& block) { return block.size() > instructions_max; });
}

// Runs LLVM's code generator. Its scheduler, which `keeps_order` disables, considers registers
// first and latencies last.
llvm::SmallVector<char, 0> emit(llvm::Module& module, llvm::TargetMachine& target,
                                llvm::CodeGenFileType type, bool keeps_order) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  auto& generator = static_cast<llvm::LLVMTargetMachine&>(target);
  llvm::TargetPassConfig* const steps = generator.createPassConfig(passes);
  auto* const machine_code = new llvm::MachineModuleInfoWrapperPass(&generator);
  steps->setDisableVerify(true);
  if (keeps_order) steps->disablePass(&llvm::MachineSchedulerID);
  if (std::ranges::any_of(module, has_long_block))
    for (const void* const step : {&llvm::EarlyMachineLICMID, &llvm::MachineCombinerID})
      steps->disablePass(step);
  passes.add(steps);
  passes.add(machine_code);
  bool failed = steps->addISelPasses();
  steps->addMachinePasses();
  steps->setInitialized();
  failed = failed || generator.addAsmPrinter(passes, stream, nullptr, type,
                                             machine_code->getMMI().getContext());
  if (failed) throw InternalError("LLVM cannot write code for this machine");
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(module);
  return bytes;
}

constexpr unsigned with_many_registers = 512;  // bits: 32 of them, else 16

class Compilation {
 public:
  /// Compiles all forms, or one.
  Compilation(const kernels::Kernel& kernel, const CompileOptions& options, const Machine& machine,
              std::optional<Form> one = {})
      : target_(make_target_machine(machine)),
        module_("kernel", context_),
        schedule_(choose_schedule(kernel, machine)),
        narrows_(accumulates(kernel) && !kernel.range && schedule_.lanes_along > 0) {
    module_.setTargetTriple(machine.triple);
    module_.setDataLayout(target_->createDataLayout());
    const KernelModule module{module_, kernel, machine, options};
    const Forms forms = one ? only(*one) : forms_of(kernel, schedule_);
    switch (kernel.skeleton) {
      case kernels::Skeleton::map: emit_map(module, schedule_, forms); break;
      case kernels::Skeleton::segments: emit_segment_elements(module, schedule_); break;
      case kernels::Skeleton::fold: emit_fold(module, schedule_, forms); break;
      case kernels::Skeleton::scan: emit_scan(module, schedule_, forms); break;
      case kernels::Skeleton::scatter: emit_scatter(module, schedule_, forms); break;
      case kernels::Skeleton::compact: emit_compact(module, schedule_); break;
    }
    verify_module(module_, kernel);
    optimize(module_, *target_,
             [&](llvm::Function& function) { arrange_registers(function, machine); });
    verify_module(module_, kernel);
    if (std::ranges::any_of(module_, is_huge)) target_->setOptLevel(llvm::CodeGenOptLevel::None);
  }

  [[nodiscard]] const kernels::Schedule& schedule() const { return schedule_; }

  [[nodiscard]] std::string ir() const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module_.print(stream, nullptr);
    return stream.str();
  }

  void rename(const std::string& prefix) {
    for (llvm::Function& function : module_) {
      if (function.isDeclaration() || function.hasLocalLinkage()) continue;
      function.setName(prefix + function.getName());
      function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    }
  }

  llvm::SmallVector<char, 0> generate(llvm::CodeGenFileType type) {
    return emit(module_, *target_, type, keeps_order_ && !splits_);
  }

 private:
  void arrange_registers(llvm::Function& function, const Machine& machine) {
    narrow_indices(function);
    if (machine.fma) fuse_shared_products(function);
    multiply_by_reciprocals(function);
    bool split = false;
    for (const unsigned lanes : lane_counts()) split |= split_lanes(function, lanes, machine);
    widen_masks(function, machine);
    clear_masks(function, machine);
    splits_ |= split;
    if (split) align_stack(function, machine);
    if (split || !order_matters(function, machine)) return;
    // Chains that run side by side need more than 16 registers: the program's order, which applies
    // each operation to all registers of a value in turn, needs fewest.
    align_stack(function, machine);
    if (machine.bits == with_many_registers)
      interleave_chains(function, machine);
    else
      keeps_order_ = true;
  }

  // LLVM finds out too late that it has vectors to spill, and a vector that crosses a cache line is
  // slow to reload.
  static void align_stack(llvm::Function& function, const Machine& machine) {
    constexpr unsigned aligned_by_callers = 128;
    if (machine.bits > aligned_by_callers) function.addFnAttr("stackrealign");
  }

  // The lane counts of all loops of the schedule.
  [[nodiscard]] std::set<unsigned> lane_counts() const {
    std::set<unsigned> counts(schedule_.loop_lanes.begin(), schedule_.loop_lanes.end());
    counts.insert(
        {schedule_.lanes, schedule_.lanes_across, schedule_.lanes_along, schedule_.lanes_joined});
    for (unsigned lanes = schedule_.lanes / 2; narrows_ && lanes > schedule_.lanes_along;
         lanes /= 2)
      counts.insert(lanes);
    return counts;
  }

  bool keeps_order_ = false, splits_ = false;
  std::unique_ptr<llvm::TargetMachine> target_;
  llvm::LLVMContext context_;
  llvm::Module module_;
  kernels::Schedule schedule_;
  bool narrows_;  // a fold whose last columns go by fewer lanes
};

}  // namespace

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_bad_alloc_error_handler(no_memory);
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

std::vector<std::byte> compile_object(const kernels::Kernel& kernel, const CompileOptions& options,
                                      const Machine& machine, Form form) {
  const LlvmUse use;
  Compilation compilation(kernel, options, machine, form);
  const llvm::SmallVector<char, 0> code = compilation.generate(llvm::CodeGenFileType::ObjectFile);
  std::vector<std::byte> bytes{packed(options)};
  const auto object = std::as_bytes(std::span(code));
  bytes.insert(bytes.end(), object.begin(), object.end());
  return kernels::with_schedule(compilation.schedule(), bytes);
}

LinkableObject compile_linkable(const kernels::Kernel& kernel, const CompileOptions& options,
                                const Machine& machine, const std::string& prefix) {
  const LlvmUse use;
  Compilation compilation(kernel, options, machine);
  compilation.rename(prefix);
  const llvm::SmallVector<char, 0> code = compilation.generate(llvm::CodeGenFileType::ObjectFile);
  const auto bytes = std::as_bytes(std::span(code));
  return {compilation.schedule(), {bytes.begin(), bytes.end()}};
}

std::vector<std::byte> compile_data(std::span<const DataBlock> blocks, const Machine& machine) {
  const LlvmUse use;
  const std::unique_ptr<llvm::TargetMachine> target = make_target_machine(machine);
  llvm::LLVMContext context;
  llvm::Module module("data", context);
  module.setTargetTriple(machine.triple);
  module.setDataLayout(target->createDataLayout());
  constexpr std::size_t alignment = 64;
  for (const DataBlock& block : blocks) {
    std::string bytes(reinterpret_cast<const char*>(block.bytes.data()), block.bytes.size());
    bytes.append(alignment, '\0');  // vectors may be read across the end
    llvm::Constant* const data = llvm::ConstantDataArray::getString(context, bytes, false);
    auto* const global = new llvm::GlobalVariable(
        module, data->getType(), true, llvm::GlobalValue::ExternalLinkage, data, block.symbol);
    global->setVisibility(llvm::GlobalValue::HiddenVisibility);
    global->setAlignment(llvm::Align(alignment));
  }
  const llvm::SmallVector<char, 0> object =
      emit(module, *target, llvm::CodeGenFileType::ObjectFile, false);
  const auto bytes = std::as_bytes(std::span(object));
  return {bytes.begin(), bytes.end()};
}

std::string llvm_text(const kernels::Kernel& kernel, const CompileOptions& options,
                      const Machine& machine) {
  const LlvmUse use;
  return Compilation(kernel, options, machine).ir();
}

std::string assembly_text(const kernels::Kernel& kernel, const CompileOptions& options,
                          const Machine& machine) {
  const LlvmUse use;
  const llvm::SmallVector<char, 0> text =
      Compilation(kernel, options, machine).generate(llvm::CodeGenFileType::AssemblyFile);
  return {text.data(), text.size()};
}

}  // namespace hasten::backends::cpu
