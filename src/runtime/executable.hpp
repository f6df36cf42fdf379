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

  /// The arguments of a call.
  struct Given {
    std::span<const std::shared_ptr<const HostArray>> arrays;
    std::span<const LiteralBits> scalars;
    std::span<const OutMemory> outs = {};
  };
  /// `cancel` stops only this call.
  [[nodiscard]] Results run(const Given& given, std::stop_token cancel = {}) const;

  /// The plan that a compiling target runs, or would run.
  [[nodiscard]] const kernels::Plan& plan() const;
  [[nodiscard]] bool is_interpreted() const { return loaded_ == nullptr; }
  /// The core program of interpreted ones: as traced, or as rewritten for `everywhere`.
  [[nodiscard]] const core::Program& program() const { return program_; }
  [[nodiscard]] const runtime::Device& device() const { return *device_; }
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const Where& where() const { return where_; }
  [[nodiscard]] const runtime::Callers& callers() const { return *callers_; }
  /// Waits for kernels that are being made.
  [[nodiscard]] Statistics statistics() const;

  /// How a kernel of the plan is run, in words. Waits for it; empty if it could not be made, or the
  /// program is interpreted.
  [[nodiscard]] std::string schedule(std::size_t kernel) const;

  /// The share of each of several devices in the last call; empty before the first.
  [[nodiscard]] std::vector<double> shares() const;

  /// The program on one of several devices, if it did all the work of the last call; else null.
  [[nodiscard]] const Executable* alone() const { return last_alone_.load(); }

  /// The program that reads arrays of structs in place, if the last call used it; else null.
  [[nodiscard]] const Executable* whole() const { return last_whole_.load(); }

  /// How calls are streamed; null if they never are.
  [[nodiscard]] const runtime::Streaming* streaming() const { return streaming_.get(); }

  /// The recording of all calls.
  [[nodiscard]] const runtime::Recording& recording() const { return *recording_; }
  /// The data of profiles: for the whole program, for the parts that the last call streamed in, or
  /// for the device that did it alone; it outlives this.
  [[nodiscard]] runtime::ProfileSource profile_source() const;

 private:
  using Trace = core::FunctionRef<core::Program(runtime::Dump& dump)>;
  Executable(const Options& options, const Where& where,
             std::shared_ptr<const runtime::Device> device, Trace trace);

  [[nodiscard]] Results interpret(const Given& given, const runtime::CallStop& stop) const;
  [[nodiscard]] Results run_plan(const Given& given, const std::stop_token& cancel,
                                 const runtime::CallStop& stop, runtime::RunCounts& counts,
                                 runtime::CallRecord& record) const;
  /// Runs everything on one device, as if it were the target: no parts are joined. None: no device
  /// is to do so, or it failed, and others do its work.
  [[nodiscard]] std::optional<Results> run_alone(const Given& given, std::stop_token cancel) const;
  /// Likewise, on the first device that has the memory.
  [[nodiscard]] std::optional<Results> run_on_any(const Given& given,
                                                  const std::stop_token& cancel) const;
  /// Likewise, in a child of fork() where other devices do not work. None: all of them do, or none.
  [[nodiscard]] std::optional<Results> run_in_child(const Given& given,
                                                    const std::stop_token& cancel) const;
  [[nodiscard]] const Executable& on_one(std::size_t device) const;
  /// Reads arrays of structs in place, if the call has arguments for which this is allowed. None:
  /// it is an ordinary call.
  [[nodiscard]] std::optional<Results> run_whole(const Given& given, std::stop_token cancel) const;
  [[nodiscard]] const Executable& reading(const std::vector<passes::WholeElements>& all) const;
  /// Other devices do its part from now on; false if there are none.
  [[nodiscard]] bool leave_out(std::size_t device, const Error& error) const;
  /// `leaves_out`: devices that lack the memory for their part are left out too.
  [[nodiscard]] Results run_shared(runtime::Arguments& arguments, runtime::RunCounts& counts,
                                   runtime::CallRecord& record, const runtime::LoadedPlan& loaded,
                                   bool leaves_out) const;
  /// The plan for calls that can be stopped.
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
  bool streams_at_once_ = false;  // calls begin there; else those that found no memory go on there
  mutable std::once_flag stoppable_once_;
  mutable std::shared_ptr<const runtime::LoadedPlan> stoppable_;  // made on first use
  std::vector<core::Bits> literals_;
  core::Program program_;  // interpreted, at least to name what failed; or what one device may do

  // For several devices: the program on each of them, made on first use.
  mutable std::mutex alone_mutex_;
  mutable std::vector<std::unique_ptr<const Executable>> alone_;
  mutable std::atomic<const Executable*> last_alone_ = nullptr;

  // A program that reads arrays of structs in place.
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
  mutable std::unique_ptr<kernels::Plan> plan_;  // interpreted only, made on first use

  std::vector<runtime::KernelCodeRef> kernels_ours_;
  std::int64_t kernels_in_memory_ = 0;
  std::shared_ptr<runtime::Recording> recording_;

  std::optional<runtime::CompilationAhead> ahead_;  // destroyed first
};

/// Same as execute_at(), with places that check_outs accepted, or none; `cancel` stops this call.
Results execute(const Executable& executable,
                std::span<const std::shared_ptr<const HostArray>> arrays,
                std::span<const LiteralBits> scalars, std::span<const OutMemory> outs,
                std::stop_token cancel);
/// Throws Error where two places overlap.
void check_outs(std::span<const OutMemory> outs);

}  // namespace hasten::detail
