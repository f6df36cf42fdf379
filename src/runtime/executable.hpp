// A program ready to be called: a compiled plan, or a core program for the interpreter.
#pragma once

#include "core/program.hpp"
#include "passes/patterns/whole_elements.hpp"
#include "runtime/compile/kernel_code.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/profile/profile.hpp"
#include "runtime/profile/recording.hpp"
#include "runtime/report/callers.hpp"
#include "runtime/report/dump.hpp"
#include "runtime/streaming/streaming.hpp"
#include "runtime/targets.hpp"

#include <hasten/detail/memory/out_memory.hpp>
#include <hasten/run/error.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace hasten::detail {

class Executable {
 public:
  Executable(const Traced& traced, std::shared_ptr<const runtime::Device> device);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  /// What a call is given.
  struct Given {
    std::span<const std::shared_ptr<const HostArray>> arrays;
    std::span<const LiteralBits> scalars;
    std::span<const OutMemory> outs = {};
  };
  /// `cancel` stops this call alone.
  [[nodiscard]] Results run(const Given& given, std::stop_token cancel = {}) const;

  /// What a compiling target runs, or would run.
  [[nodiscard]] const kernels::Plan& plan() const;
  [[nodiscard]] bool is_interpreted() const { return loaded_ == nullptr; }
  /// The core program of interpreted ones: as it was traced, or as `everywhere` has it.
  [[nodiscard]] const core::Program& program() const { return program_; }
  [[nodiscard]] const runtime::Device& device() const { return *device_; }
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const Where& where() const { return where_; }
  [[nodiscard]] const runtime::Callers& callers() const { return *callers_; }
  /// Waits for kernels that are being made.
  [[nodiscard]] Statistics statistics() const;

  /// How a kernel of the plan is run, in words. Waits for it; empty if it could not be made, or all
  /// is interpreted.
  [[nodiscard]] std::string schedule(std::size_t kernel) const;

  /// What each device of several had in the last call; empty before the first.
  [[nodiscard]] std::vector<double> shares() const;

  /// The program on one device of several, if the last call was one that it did alone; else null.
  [[nodiscard]] const Executable* alone() const { return last_alone_.load(); }

  /// The program on arrays of structs that it read where they are, if the last call was one that
  /// did; else null.
  [[nodiscard]] const Executable* whole() const { return last_whole_.load(); }

  /// How calls stream; null if they never do.
  [[nodiscard]] const runtime::Streaming* streaming() const { return streaming_.get(); }

  /// Of all calls.
  [[nodiscard]] const runtime::Recording& recording() const { return *recording_; }
  /// What profiles are made of: of the whole program, of the parts that the last call streamed in,
  /// or of the device that did it alone; it outlives this.
  [[nodiscard]] runtime::ProfileSource profile_source() const;

 private:
  using Trace = core::FunctionRef<core::Program(runtime::Dump& dump)>;
  Executable(const Options& options, const Where& where,
             std::shared_ptr<const runtime::Device> device, Trace trace);

  [[nodiscard]] Results interpret(const Given& given, const runtime::CallStop& stop) const;
  [[nodiscard]] Results run_plan(const Given& given, const runtime::CallStop& stop,
                                 runtime::RunCounts& counts, runtime::CallRecord& record) const;
  /// One device does all, as if it were the target: no part is joined to nothing. None: it is not
  /// to, or failed, and others do it.
  [[nodiscard]] std::optional<Results> run_alone(const Given& given, std::stop_token cancel) const;
  [[nodiscard]] const Executable& on_one(std::size_t device) const;
  /// Reads arrays of structs where they are, if the call was given some that it may. None: it is a
  /// call like any other.
  [[nodiscard]] std::optional<Results> run_whole(const Given& given, std::stop_token cancel) const;
  [[nodiscard]] const Executable& reading(const std::vector<passes::WholeElements>& all) const;
  /// Others do its part from now on; false if there are none.
  [[nodiscard]] bool leave_out(std::size_t device, const Error& error) const;
  /// `leaves_out`: also devices that have no memory for their part.
  [[nodiscard]] Results run_shared(runtime::Arguments& arguments, runtime::RunCounts& counts,
                                   runtime::CallRecord& record, const runtime::LoadedPlan& loaded,
                                   bool leaves_out) const;
  /// The plan as calls run it that can be stopped.
  [[nodiscard]] const runtime::LoadedPlan& stoppable() const;

  Options options_;
  Where where_;
  std::shared_ptr<const runtime::Device> device_;
  std::vector<std::shared_ptr<const HostArray>> used_;
  std::vector<std::shared_ptr<const ForeignArrayFunction>> foreign_;

  std::optional<runtime::Callers> callers_;            // after construction
  std::shared_ptr<const runtime::LoadedPlan> loaded_;  // null: interpreted
  std::shared_ptr<runtime::Shares> shares_;            // of several devices
  std::unique_ptr<runtime::Streaming> streaming_;      // null: it never streams
  mutable std::once_flag stoppable_once_;
  mutable std::shared_ptr<const runtime::LoadedPlan> stoppable_;  // when it is asked for
  std::vector<core::Bits> literals_;
  core::Program program_;  // interpreted, at least to name what failed; or what one device may do

  // Of several devices: the program on each of them, when it is asked for.
  mutable std::mutex alone_mutex_;
  mutable std::vector<std::unique_ptr<const Executable>> alone_;
  mutable std::atomic<const Executable*> last_alone_ = nullptr;

  // Where arrays of structs may be read where they are.
  struct WholeProgram {
    std::vector<passes::WholeElements> elements;
    std::unique_ptr<const Executable> executable;
  };
  std::vector<passes::ReadOnce> read_once_;
  core::Program traced_;  // unless there are none
  mutable std::mutex whole_mutex_;
  mutable std::vector<WholeProgram> whole_;
  mutable std::atomic<const Executable*> last_whole_ = nullptr;

  mutable std::once_flag plan_once_;
  mutable std::unique_ptr<kernels::Plan> plan_;  // interpreted only, when it is asked for

  std::vector<runtime::KernelCodeRef> kernels_ours_;
  std::int64_t kernels_in_memory_ = 0;
  std::shared_ptr<runtime::Recording> recording_;

  std::optional<runtime::CompilationAhead> ahead_;  // goes first
};

/// As execute_at(), of places that check_outs has looked at, or none; `cancel` stops this call.
Results execute(const Executable& executable,
                std::span<const std::shared_ptr<const HostArray>> arrays,
                std::span<const LiteralBits> scalars, std::span<const OutMemory> outs,
                std::stop_token cancel);
/// Throws Error where two places overlap.
void check_outs(std::span<const OutMemory> outs);

}  // namespace hasten::detail
