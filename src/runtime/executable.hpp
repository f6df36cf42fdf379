// A program ready to be called: a compiled plan, or a core program for the interpreter.
#pragma once

#include "core/program.hpp"
#include "runtime/compile/kernel_code.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/report/callers.hpp"
#include "runtime/targets.hpp"

#include <hasten/detail/runtime.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace hasten::detail {

class Executable {
 public:
  Executable(const Traced& traced, std::shared_ptr<const runtime::Device> device);

  [[nodiscard]] Results run(std::span<const std::shared_ptr<const HostArray>> arrays,
                            std::span<const LiteralBits> scalars) const;

  /// What a compiling target runs, or would run.
  [[nodiscard]] const kernels::Plan& plan() const;
  [[nodiscard]] bool is_interpreted() const { return loaded_ == nullptr; }
  [[nodiscard]] const runtime::Device& device() const { return *device_; }
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const Where& where() const { return where_; }
  [[nodiscard]] const runtime::Callers& callers() const { return *callers_; }
  /// Waits for kernels that are being made.
  [[nodiscard]] Statistics statistics() const;

  /// How a kernel of the plan is run, in words. Waits for it; empty if it could not be made, or all
  /// is interpreted.
  [[nodiscard]] std::string schedule(std::size_t kernel) const;

  /// Of one kernel of the plan, all calls together.
  [[nodiscard]] const runtime::KernelUse& use(std::size_t kernel) const { return uses_[kernel]; }
  struct LastCall {
    std::int64_t launches, bytes_allocated, bytes_moved;
  };
  [[nodiscard]] LastCall last_call() const;
  [[nodiscard]] std::int64_t calls() const { return calls_; }

 private:
  void count(const runtime::RunCounts& counts) const;
  [[nodiscard]] Results interpret(std::span<const std::shared_ptr<const HostArray>> arrays,
                                  std::span<const LiteralBits> scalars) const;
  [[nodiscard]] Results run_plan(std::span<const std::shared_ptr<const HostArray>> arrays,
                                 std::span<const LiteralBits> scalars) const;

  Options options_;
  Where where_;
  std::shared_ptr<const runtime::Device> device_;
  std::vector<std::shared_ptr<const HostArray>> used_;
  std::vector<std::shared_ptr<const ForeignArrayFunction>> foreign_;

  std::optional<runtime::Callers> callers_;  // after construction
  std::shared_ptr<const runtime::LoadedPlan> loaded_;  // null: interpreted
  std::vector<core::Bits> literals_;
  core::Program program_;  // interpreted, at least to name what failed

  mutable std::once_flag plan_once_;
  mutable std::unique_ptr<kernels::Plan> plan_;  // interpreted only, when it is asked for

  std::vector<runtime::KernelCodeRef> kernels_ours_;
  std::int64_t kernels_in_memory_ = 0;
  std::unique_ptr<runtime::KernelUse[]> uses_;
  mutable std::atomic<std::int64_t> calls_{0}, launches_{0}, bytes_allocated_{0}, bytes_peak_{0};
  mutable std::atomic<std::int64_t> last_launches_{0}, last_allocated_{0}, last_moved_{0};

  std::optional<runtime::CompilationAhead> ahead_;  // goes first
};

}  // namespace hasten::detail
