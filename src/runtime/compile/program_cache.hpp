// Compiled programs by structure. Numbers of a program are compiled in at first; those that change
// become parameters of the plan, at the cost of one more compilation in total.
#pragma once

#include "core/program.hpp"
#include "runtime/compile/kernel_code.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/report/dump.hpp"
#include "runtime/targets.hpp"

#include <hasten/run/options.hpp>

#include <cstdint>
#include <memory>
#include <source_location>
#include <vector>

namespace hasten::runtime {

struct CompiledProgram {
  std::shared_ptr<const LoadedPlan> loaded;
  std::vector<core::Bits> literals;         // of this program, by the plan's literal parameters
  std::vector<KernelCodeRef> kernels_ours;  // those that this program is the first to request
  std::int64_t kernels_in_memory = 0;       // those requested by others before
};

/// The options that kernels of a program are compiled with.
[[nodiscard]] backends::CompileOptions compile_options(const Options& options);

/// Finds the plan, or makes it; its kernels may not be made yet. The arrays used by `program` are
/// not kept. `parts`: the parts of each device, one after the other (runtime/streaming).
[[nodiscard]] CompiledProgram compile_cached(const core::Program& program,
                                             const std::shared_ptr<const Device>& device,
                                             const Options& options,
                                             const std::source_location& where, Dump& dump,
                                             std::size_t parts = 1);

/// The plan for calls that can be stopped: the same, but on each device long loops of its kernels
/// poll whether to end. The plan itself where polling costs nothing, is not possible, or is not
/// safe (code after an abandoned loop may break the promise of Checks::trusted).
std::shared_ptr<const LoadedPlan> with_polls(const std::shared_ptr<const LoadedPlan>& loaded,
                                             const std::shared_ptr<const Device>& device,
                                             const Options& options);

/// Forgets all compiled programs; those in use stay alive. For tests and benchmarks.
void forget_programs();

}  // namespace hasten::runtime
