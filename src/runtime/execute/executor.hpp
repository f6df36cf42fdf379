// Walks a plan: binds arrays, evaluates host scalars, launches kernels, frees.
#pragma once

#include "backends/backend.hpp"
#include "core/foreign.hpp"
#include "core/program.hpp"
#include "core/traverse.hpp"
#include "kernels/plan.hpp"
#include "runtime/compile/kernel_code.hpp"
#include "runtime/execute/call_stop.hpp"
#include "runtime/memory/device_memory.hpp"
#include "runtime/profile/recording.hpp"

#include <hasten/detail/memory/out_memory.hpp>
#include <hasten/run/error.hpp>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace hasten::runtime {

using HostArrayRef = std::shared_ptr<const detail::HostArray>;

class JoinsAhead;
class Launches;
class RememberedLaunches;
struct RankedPlan;
class Shares;
struct CallShares;
struct RunState;

/// A device, and the code of a plan's kernels on it, by Plan::kernels.
struct LoadedDevice {
  std::shared_ptr<backends::Backend> backend;
  std::shared_ptr<DeviceMemory> memory;  // null: the backend works in host memory
  std::vector<KernelCodeRef> code;
  std::vector<bool> uses;  // of several devices or processes: whether steps of its own launch it
};

/// A plan with the first device that runs it. Shared between threads.
struct LoadedPlan : LoadedDevice {
  kernels::Plan plan;
  std::vector<std::uint32_t> copy_sites;  // by ArrayId, if there is `memory`: copy_sites_of(plan)
  std::shared_ptr<RememberedLaunches> remembered;
  std::vector<LoadedDevice> others;                         // of `multi`
  std::shared_ptr<Shares> shares;                           // of `multi`
  std::shared_ptr<const RankedPlan> ranked;                 // of `mpi`
  std::size_t parts = 1;                                    // of each device, one after the other
  std::shared_ptr<const JoinsAhead> joins_ahead = nullptr;  // of several

  std::vector<bool> at_once = {};  // by kernel, by note_branches(); empty: all

  /// Called when the plan is complete.
  void note_branches();
  [[nodiscard]] std::size_t devices() const { return 1 + others.size(); }
  [[nodiscard]] const LoadedDevice& on(std::size_t device) const {
    return device == 0 ? *this : others[device - 1];
  }
  /// The device of a part, by kernels::Step::device.
  [[nodiscard]] std::size_t device_of(std::uint32_t part) const {
    return part == core::none ? 0 : part / parts;
  }
  [[nodiscard]] bool has_memory() const;
  /// The code that runs may need: with one device all of it.
  [[nodiscard]] std::vector<KernelCodeRef> needed_code() const;
  /// That code, except for branches that extents decide: their code is made when a run takes them.
  [[nodiscard]] std::vector<KernelCodeRef> code_at_once() const;
  /// Throws the error of making any of it.
  void wait_for_code_at_once() const;
  /// The code of a branch that nobody has begun to make.
  [[nodiscard]] std::vector<KernelCodeRef> code_to_make(const kernels::Steps& branch) const;

 private:
  [[nodiscard]] bool is_at_once(std::size_t device, std::size_t kernel) const;
};

/// For several processes that run one plan together, each doing the steps of its own device: the
/// data that moves between them. See runtime/ranks.
class RankedSteps {
 public:
  virtual ~RankedSteps() = default;
  /// Runs one or more steps, from steps[at] on, and returns how many. `here` runs one locally.
  virtual std::size_t run(RunState& state, const kernels::Steps& steps, std::size_t at,
                          core::FunctionRef<void(const kernels::Step&)> here) = 0;
  /// The bytes of an element, which all processes request.
  virtual const std::byte* read(const std::shared_ptr<detail::Buffer>& component,
                                std::size_t offset, std::size_t bytes) = 0;
};

struct Arguments {
  std::span<const HostArrayRef> used;                     // by Use::index
  std::span<const HostArrayRef> inputs;                   // by Input::index
  std::span<const detail::LiteralBits> scalars;           // the first of Plan::scalar_inputs
  std::span<const core::Bits> literals;                   // the others
  std::int64_t memory_limit = 0;                          // bytes, 0: none
  core::ForeignArrayFunctions foreign = {};               // by ForeignStep::index
  const std::shared_ptr<Recording>* recording = nullptr;  // of the program
  const CallStop* stop = nullptr;                         // null: no stop is possible
  std::span<const detail::OutMemory> outs = {};           // by Plan::results, or none
  CallShares* shares = nullptr;                           // of several devices or processes
  RankedSteps* ranks = nullptr;                           // of several processes
  std::uint32_t* part = nullptr;  // receives the current part (kernels::Step::device)
};

/// An element reads out of range or divides by zero (Checks::bounds, Checks::arithmetic). The
/// interpreter finds out which one: it checks them one by one, and knows the operations that made
/// the arrays. Where there is no interpreter, `known` has what is known of reads by the host.
struct ElementFailed {
  Checks kinds = Checks::bounds | Checks::arithmetic;  // one of these failed
  std::optional<IndexError> known = {};
};

/// The plan's arrays, then its scalar results as rank-0 arrays. A launch waits for its own kernel,
/// after its arrays are in place. Errors have the location of the operation that failed, or are
/// ElementFailed; an error of making any kernel of code_at_once() is thrown too, even if the kernel
/// is not launched. `record` and `counts` are valid after an error too. Throws Stopped when the
/// call was asked to stop, whatever other error occurred then; the device then has no pending work.
detail::Results run_plan(const LoadedPlan& loaded, const Arguments& arguments, CallRecord& record,
                         RunCounts& counts);

}  // namespace hasten::runtime
