// The queues of a device, and which commands wait for which: launches go to several in-order
// queues, copies to separate ones in each direction. A command waits for the writers of what it
// reads, and for the users of what it writes (c_like/ordering.hpp), like CUDA's streams.
#pragma once

#include "backends/c_like/launch/call_work.hpp"
#include "backends/c_like/launch/ordering.hpp"
#include "backends/opencl/library.hpp"
#include "core/traverse.hpp"

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hasten::backends::opencl {

/// Thread-safe.
class Queues {
 public:
  using Use = c_like::Ordering::Use;
  /// Enqueues a command after these events, and returns its own.
  using Enqueue = std::function<cl_int(cl_command_queue, cl_uint, const cl_event*, cl_event*)>;

  /// Throws TargetError when the device has none. The commands of one call take up to `share` of
  /// the queues; with 0 one queue takes everything.
  Queues(const Library& library, cl_context context, cl_device_id device, std::string name,
         std::size_t share);
  /// Waits for all commands.
  ~Queues();
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;

  /// `what` names the command in errors; `call` may be null. Returns when it is enqueued.
  void launch(const char* what, std::span<const Use> uses, c_like::CallWork* call,
              const Enqueue& enqueue);
  /// Enclose foreign commands in a queue, which is chosen for these uses: commands enqueued after
  /// `order` run after the current users of the memory; after `mark` all uses are recorded.
  [[nodiscard]] std::size_t choose(std::span<const Use> uses, c_like::CallWork* call);
  void order(std::size_t queue, std::span<const Use> uses);
  void mark(std::size_t queue, std::span<const Use> uses, c_like::CallWork* call);
  [[nodiscard]] cl_command_queue handle(std::size_t queue) const { return queues_[queue]; }
  /// Whether this thread's commands are timed. If so, foreign work between the following two is.
  [[nodiscard]] static bool is_timing();
  [[nodiscard]] std::size_t begin_timing(std::size_t queue);
  void end_timing(std::size_t queue, std::size_t begun);

  /// These return when the copies have happened: an upload of `count` commands, in one queue.
  void upload(const char* what, c_like::Address to, const Enqueue& enqueue, std::size_t count);
  void download(const char* what, c_like::Address from, const Enqueue& enqueue);
  void wait_for(const char* what, const c_like::Mark& mark) const;
  /// Copies from another device's memory to this one, after the writers of that memory; returns
  /// when both devices know of the copy. `call` is that of this device.
  void copy_between(const char* what, c_like::Address to, Queues& other, c_like::Address from,
                    c_like::CallWork* call, const Enqueue& enqueue);
  /// Whether the command has happened. Does not wait; throws the command's error.
  [[nodiscard]] bool has_happened(const c_like::Mark& mark) const;
  /// When it began and ended, by the device's clock; nothing: not reported by the device.
  [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> times_of(
      const c_like::Mark& mark) const;
  /// Waits until a command with this use would have nothing to wait for.
  void wait_for_users(const Use& use);
  [[nodiscard]] bool is_used_by_others(c_like::Address address, c_like::Ordering::Owner owner);
  /// The memory is freed; the address may be reused.
  void forget(c_like::Address address) noexcept;
  /// Waits for all commands so far.
  void finish() const;
  /// Nanoseconds taken by the commands that this thread enqueues in `f`; waits for them. Negative:
  /// not reported by the device.
  [[nodiscard]] std::int64_t timed(core::FunctionRef<void()> f) const;

 private:
  using Mark = c_like::Mark;
  using Place = c_like::Ordering::Place;
  /// A range of adjacent queues.
  struct Range {
    std::size_t first, count;
  };
  struct Layout {
    c_like::Ordering::Layout all;
    Range uploads, downloads;
  };
  [[nodiscard]] static Layout layout_of(std::size_t share);

  /// A copy, in one of these queues. The host waits for the users of the memory, so that the queue
  /// is not blocked.
  void copy(const char* what, const Range& queues, const Use& use, const Enqueue& enqueue,
            std::size_t count);
  [[nodiscard]] std::vector<Mark> pending(const Use& use);
  /// A command outside these queues reads the memory, and leaves this mark.
  void read_elsewhere(c_like::Address from, const Mark& mark);
  /// For a placed command, under the mutex: enqueues it, and records it for later commands.
  Mark run(const char* what, const Place& place, std::span<const Use> uses,
           c_like::Ordering::Owner owner, const Enqueue& enqueue);
  /// A command that only waits for these, and leaves a mark.
  Mark run_marker(const Place& place, std::span<const Use> uses, c_like::Ordering::Owner owner);
  void wait_in(const Place& place);
  [[nodiscard]] cl_int state_of(const Mark& mark) const;  // negative: an error
  [[nodiscard]] bool is_done(const Mark& mark) const;
  [[nodiscard]] std::optional<cl_ulong> time_of(const Mark& mark, cl_profiling_info what) const;
  void release() noexcept;

  const Library& library_;
  std::string name_;
  const Layout layout_;
  std::vector<cl_command_queue> queues_;
  std::mutex mutex_;  // held from a command's placement to its mark
  c_like::Ordering ordering_;
};

}  // namespace hasten::backends::opencl
