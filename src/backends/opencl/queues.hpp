// The queues of a device, and what waits for what: launches go to several queues in order, copies
// to some of their own in each direction. A command waits for those that write what it reads, and
// that use what it writes (c_like/ordering.hpp), as CUDA's streams do.
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
  /// Enqueues a command after these events, and gives its own.
  using Enqueue = std::function<cl_int(cl_command_queue, cl_uint, const cl_event*, cl_event*)>;

  /// Throws TargetError when the device has none. The work of one call takes up to `share` of the
  /// queues; with 0 one queue has everything.
  Queues(const Library& library, cl_context context, cl_device_id device, std::string name,
         std::size_t share);
  /// Waits for all commands.
  ~Queues();
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;

  /// `what` names the command in errors; `call` may be null. Returns when it is enqueued.
  void launch(const char* what, std::span<const Use> uses, c_like::CallWork* call,
              const Enqueue& enqueue);
  /// Around commands of others' in a queue, which is chosen for these uses: what is told the queue
  /// after `order` comes after who uses the memory; after `mark` all the uses are known.
  [[nodiscard]] std::size_t choose(std::span<const Use> uses, c_like::CallWork* call);
  void order(std::size_t queue, std::span<const Use> uses);
  void mark(std::size_t queue, std::span<const Use> uses, c_like::CallWork* call);
  [[nodiscard]] cl_command_queue handle(std::size_t queue) const { return queues_[queue]; }
  /// Whether this thread's commands are timed. If so, the work of others' between these two is.
  [[nodiscard]] static bool is_timing();
  [[nodiscard]] std::size_t begin_timing(std::size_t queue);
  void end_timing(std::size_t queue, std::size_t begun);

  /// These return when they have happened.
  void upload(const char* what, c_like::Address to, const Enqueue& enqueue);
  void download(const char* what, c_like::Address from, const Enqueue& enqueue);
  void wait_for(const char* what, const c_like::Mark& mark) const;
  /// A copy to here from another device's memory, after what makes that; returns when both devices
  /// know of it. `call` is that of this device.
  void copy_between(const char* what, c_like::Address to, Queues& other, c_like::Address from,
                    c_like::CallWork* call, const Enqueue& enqueue);
  /// Whether the command has happened. Waits for nothing; throws what went wrong with it.
  [[nodiscard]] bool has_happened(const c_like::Mark& mark) const;
  /// When it began and ended, by the device's clock; nothing: the device did not say.
  [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> times_of(
      const c_like::Mark& mark) const;
  /// Until a command with this use would have to wait for nothing.
  void wait_for_users(const Use& use);
  [[nodiscard]] bool is_used_by_others(c_like::Address address, c_like::Ordering::Owner owner);
  /// The memory is gone; the address may come back.
  void forget(c_like::Address address) noexcept;
  /// Waits for all commands so far.
  void finish() const;
  /// Nanoseconds that the commands took which this thread enqueues in `f`; waits for them.
  /// Negative: the device did not say.
  [[nodiscard]] std::int64_t timed(core::FunctionRef<void()> f) const;

 private:
  using Mark = c_like::Mark;
  using Place = c_like::Ordering::Place;
  /// Queues next to each other.
  struct Range {
    std::size_t first, count;
  };
  struct Layout {
    c_like::Ordering::Layout all;
    Range uploads, downloads;
  };
  [[nodiscard]] static Layout layout_of(std::size_t share);

  /// A copy, in one of these queues. The host waits for who uses the memory, so that the queue is
  /// not kept waiting.
  void copy(const char* what, const Range& queues, const Use& use, const Enqueue& enqueue);
  [[nodiscard]] std::vector<Mark> pending(const Use& use);
  /// A command that is not of these queues reads the memory, and leaves this mark.
  void read_elsewhere(c_like::Address from, const Mark& mark);
  /// Of a command that was placed, under the mutex: enqueues it, and what comes after it will know.
  Mark run(const char* what, const Place& place, std::span<const Use> uses,
           c_like::Ordering::Owner owner, const Enqueue& enqueue);
  /// A command that does nothing but come after these, and leave a mark.
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
  std::mutex mutex_;  // from a command's place to its mark
  c_like::Ordering ordering_;
};

}  // namespace hasten::backends::opencl
