// The queues of a device, and what waits for what: launches go to several queues in order, copies
// to one of their own in each direction. A command waits for those that write what it reads, and
// that use what it writes (c_like/ordering.hpp), as CUDA's streams do.
#pragma once

#include "backends/c_like/launch/ordering.hpp"
#include "backends/opencl/library.hpp"
#include "core/traverse.hpp"

#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace hasten::backends::opencl {

/// Thread-safe.
class Queues {
 public:
  using Use = c_like::Ordering::Use;
  /// Enqueues a command after these events, and gives its own.
  using Enqueue = std::function<cl_int(cl_command_queue, cl_uint, const cl_event*, cl_event*)>;

  /// Throws TargetError when the device has none. With `several` unset one queue has everything.
  Queues(const Library& library, cl_context context, cl_device_id device, std::string name,
         bool several);
  /// Waits for all commands.
  ~Queues();
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;

  /// `what` names the command in errors. Returns when it is enqueued.
  void launch(const char* what, std::span<const Use> uses, const Enqueue& enqueue);
  /// These return when they have happened.
  void upload(const char* what, c_like::Address to, const Enqueue& enqueue);
  void download(const char* what, c_like::Address from, const Enqueue& enqueue);
  /// The memory is gone; the address may come back.
  void forget(c_like::Address address) noexcept;
  /// Waits for all commands so far.
  void finish() const;
  /// Nanoseconds that the commands took which this thread enqueues in `f`; waits for them.
  /// Negative: the device did not say.
  [[nodiscard]] std::int64_t timed(core::FunctionRef<void()> f) const;

 private:
  using Mark = c_like::Ordering::Mark;
  using Place = c_like::Ordering::Place;

  [[nodiscard]] std::size_t last() const { return queues_.size() - 1; }
  /// Of a command that was placed, under the mutex: enqueues it, and what comes after it will know.
  Mark run(const char* what, const Place& place, std::span<const Use> uses, const Enqueue& enqueue);
  void wait_for(const char* what, const Mark& mark) const;
  [[nodiscard]] std::int64_t time_of(const Mark& mark) const;
  void release() noexcept;

  const Library& library_;
  std::string name_;
  std::vector<cl_command_queue> queues_;  // those of launches, of uploads, of downloads; or one
  std::mutex mutex_;                      // from a command's place to its mark
  c_like::Ordering ordering_;
};

}  // namespace hasten::backends::opencl
