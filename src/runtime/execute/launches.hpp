// Launches and sorts of a run: memory for their inputs and outputs, loops that are replayed.
#pragma once

#include "backends/late_inputs.hpp"
#include "core/traverse.hpp"
#include "kernels/plan.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/execute/loop_replay.hpp"
#include "runtime/execute/remembered.hpp"
#include "runtime/execute/run_state.hpp"
#include "runtime/memory/residency.hpp"
#include "runtime/report/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hasten::runtime {

class Launches {
 public:
  /// All arguments must outlive this.
  Launches(RunState& state, CallRecord& record, RunCounts& counts)
      : state_(state),
        record_(record),
        counts_(counts),
        device_(&state.loaded),
        is_timed_(state.loaded.has_memory() && record.recording().times_devices()) {
    if (state.loaded.others.empty() && !state.work.empty() && state.arguments.stop &&
        state.arguments.stop->is_possible())
      lead_.emplace(state.work.front());
  }
  Launches(const Launches&) = delete;
  Launches& operator=(const Launches&) = delete;

  void run(const kernels::Launch& op);
  void run(const kernels::SortStep& op);
  /// On a device: the user's code enqueues work; results stay there.
  void run(const kernels::ForeignStep& op);

  /// At the end of a run that was not stopped: stores the results of conditions for later calls. A
  /// device may run launches later, and leave their loops when the call is stopped.
  void remember();

  /// The current loop, for its lifetime. It may launch later than the executor requests.
  class Loop {
   public:
    explicit Loop(Launches& launches);
    ~Loop() { launches_.loop_ = outer_; }
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    void end_iteration(std::span<const HostArrayRef> state) {
      if (replay_) replay_->end_iteration(state);
    }
    /// Called at its end, if there was no error.
    void stop() {
      if (replay_) replay_->stop();
    }

   private:
    Launches& launches_;
    LoopReplay* const outer_;
    std::optional<LoopReplay> replay_;
  };

  /// Notifies the current loop: before the host reads an array...
  void before_read(const detail::HostArray& array, std::size_t leaf) const;
  /// ...and before other work that uses arrays.
  void before_other_work() const;

  /// For profiles: the inputs and outputs of a step that is no launch.
  void keep_shapes(std::span<const HostArrayRef> read, std::span<const HostArrayRef> made);
  [[nodiscard]] std::string trace_line() const;
  /// Of the current step, for traces.
  [[nodiscard]] TraceDetails details(std::span<const std::int64_t> shape, std::int64_t bytes) const;

 private:
  using Extents = std::vector<std::int64_t>;

  void on_device_of_step() {
    device_number_ = state_.device();
    device_ = &state_.loaded.on(device_number_);
  }
  [[nodiscard]] const support::StopWord* stop_word() const {
    return state_.stop_word(device_number_);
  }

  // foreign_call.cpp
  class CallingDevice;
  void place_and_call(const kernels::ForeignStep& op);

  // compact_launch.cpp
  class Kept;
  void compact(const kernels::Launch& op);
  void place_and_compact(const kernels::Launch& op);

  // Serves backends' requests while they launch.
  class Scratch final : public backends::ScratchMemory {
   public:
    explicit Scratch(const Launches& launches) : launches_(launches) {}
    [[nodiscard]] std::byte* take(std::size_t bytes) override;

   private:
    const Launches& launches_;
  };

  class LateInputs final : public backends::LateInputs {
   public:
    explicit LateInputs(const Launches& launches) : launches_(launches) {}
    void find(const kernels::Launch& op);
    [[nodiscard]] bool any() const { return std::ranges::find(is_late_, true) != is_late_.end(); }
    [[nodiscard]] bool has(std::size_t input) const { return !is_late_.empty() && is_late_[input]; }
    [[nodiscard]] const std::byte* take(std::size_t input) override;
    void launch(const backends::Code& code, const backends::LaunchArguments& arguments) {
      by_->launch_with_late(code, arguments, *this);
    }

   private:
    const Launches& launches_;
    const kernels::Launch* op_ = nullptr;
    backends::TakesLateInputs* by_ = nullptr;
    std::vector<bool> is_late_;  // by input; empty: none is late
  };

  struct Numbers {
    std::int64_t bytes, largest;  // moved; elements of the largest array
    bool is_collapsed;
    std::uint64_t fingerprint;  // of extents and bytes
  };
  struct Took {
    std::int64_t nanoseconds;                     // negative: not known
    TraceClock::time_point start = {}, end = {};  // if tracing
  };

  [[nodiscard]] std::shared_ptr<detail::HostArray> allocate(
      const std::vector<core::ScalarType>& leaves, const Extents& shape);
  [[nodiscard]] std::shared_ptr<detail::HostArray> allocate(core::ArrayId id,
                                                            const Extents& shape) {
    return allocate(state_.plan.array_types[id].leaves, shape);
  }
  [[nodiscard]] std::shared_ptr<detail::HostArray> allocate_on_device(
      Extents shape, const std::vector<core::ScalarType>& leaves, std::int64_t bytes);
  // overwriting.cpp
  [[nodiscard]] bool may_overwrite(const kernels::Launch& op) const;
  [[nodiscard]] std::shared_ptr<detail::Buffer> overwritten(const kernels::Launch& op,
                                                            std::uint32_t input,
                                                            const Extents& shape,
                                                            std::size_t elements,
                                                            std::size_t element_bytes) const;
  [[nodiscard]] std::shared_ptr<detail::HostArray> overwritten_whole(
      const kernels::Launch& op, const Extents& shape, std::span<const core::ScalarType> leaves,
      std::span<const std::shared_ptr<detail::Buffer>> components) const;
  [[nodiscard]] std::shared_ptr<detail::HostArray> over_inputs(const kernels::Launch& op,
                                                               core::ArrayId id,
                                                               const Extents& shape);
  void forget_overwritten(const kernels::Launch& op);

  [[nodiscard]] std::shared_ptr<detail::HostArray> in_its_whole(core::ArrayId id,
                                                                const Extents& shape);
  [[nodiscard]] std::shared_ptr<const detail::HostArray> allocate_for_foreign(
      Extents shape, const std::vector<core::ScalarType>& leaves);
  [[nodiscard]] Holder holder(bool made) const;
  [[nodiscard]] std::byte* address(const detail::HostArray& array, std::size_t leaf,
                                   core::ArrayId id, bool goes_on = false) const;
  [[nodiscard]] std::byte* address(const kernels::InputSource& input) const {
    return address(*state_.arrays[input.array], input.leaf, input.array);
  }
  void copied(core::ArrayId id, const Extents& shape, std::int64_t bytes,
              TraceClock::time_point start) const;
  void with_room(core::FunctionRef<void()> f);
  void launch_begins();
  [[nodiscard]] std::string report() const;
  [[noreturn]] void fail_room(const char* what, const Extents& shape, std::int64_t bytes) const;
  [[noreturn]] void fail_memory(const Extents& shape, std::optional<std::int64_t> bytes) const;

  [[nodiscard]] LaunchKey key_of(const kernels::Launch& op);
  [[nodiscard]] bool is_remembered(const kernels::Launch& op, const LaunchKey& key);
  [[nodiscard]] bool goes_on_in_place(const kernels::Launch& op);
  void launch_anew(const kernels::Launch& op);
  void place_and_launch(const kernels::Launch& op);
  struct SortedArrays;
  void place_and_sort(const kernels::SortStep& op);
  void sort(const kernels::SortStep& op, const SortedArrays& arrays);
  [[nodiscard]] backends::SortedKeys sorted_keys(const kernels::SortStep& op,
                                                 const SortedArrays& arrays);
  void launch(const kernels::Launch& op, const detail::HostArray& output);
  /// Of the kernel that this launch takes.
  [[nodiscard]] const backends::Code& code_of(const kernels::Launch& op) const;
  Numbers prepare(const kernels::Launch& op, const detail::HostArray& output);
  [[nodiscard]] std::int64_t bytes_written(const kernels::Launch& op,
                                           const detail::HostArray& output) const;
  [[nodiscard]] SeenLaunch seen(const kernels::Launch& op, const Numbers& numbers) const;
  [[nodiscard]] bool is_replayed(const kernels::Launch& op);
  [[nodiscard]] Took timed(core::FunctionRef<void()> f);
  [[nodiscard]] static std::uint64_t fingerprint(std::span<const std::int64_t> space,
                                                 std::uint64_t start);
  void record(const kernels::Launch& op, const Numbers& numbers, const Took& took,
              std::int64_t launches = 1);
  void keep_shapes(const kernels::Launch& op, std::uint64_t fingerprint);
  [[nodiscard]] bool collapse(const kernels::Launch& op);
  void flatten(std::size_t first, std::size_t end);
  void bind_scalars(const kernels::Launch& op, bool collapsed);

  RunState& state_;
  CallRecord& record_;
  RunCounts& counts_;
  const LoadedDevice* device_;         // of the current step
  std::size_t device_number_ = 0;      // its number
  const bool is_timed_;                // one by one, by the device's clock
  bool in_parallel_ = false;           // the current launch
  WorkingSet* working_set_ = nullptr;  // of the current launch
  bool was_complete_ = false;          // all that it uses was present at once
  LoopReplay* loop_ = nullptr;         // of the innermost current loop
  std::optional<Lead> lead_;           // of calls that can be stopped, on devices
  Scratch scratch_{*this};
  LateInputs late_inputs_{*this};
  std::vector<std::pair<LaunchKey, HostArrayRef>> to_remember_;
  // reused from launch to launch
  Extents space_, shape_;
  std::vector<const std::byte*> inputs_;
  std::vector<std::int64_t> input_sizes_;
  std::vector<std::byte*> outputs_;
  std::vector<std::uint64_t> scalars_;
  std::vector<bool> is_overwritten_;  // of the current launch: by Launch::overwritable
};

}  // namespace hasten::runtime
