// Device memory, the device's streams, and which commands wait for which.
//
// Launches go to several streams, copies to separate ones in each direction. A command waits for
// the writers of what it reads, and for the users of what it writes, wherever they are: also when a
// block is reused for other bytes. For copies the host waits instead, so that no copy delays
// another. Callers keep unused blocks: freeing one waits for the whole device.
#pragma once

#include "backends/c_like/launch/call_work.hpp"
#include "backends/c_like/launch/ordering.hpp"
#include "backends/cuda/context.hpp"
#include "backends/cuda/staging.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

namespace hasten::backends::cuda {

/// Reuses events. Dropping the last reference to a mark returns its event.
class Marks {
 public:
  using Mark = std::shared_ptr<const Event>;

  explicit Marks(const Context& context) : context_(context) {}
  /// Marks the present end of the stream.
  [[nodiscard]] Mark of(const Stream& stream);

 private:
  const Context& context_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Event>> spare_;
};

// The context must be current where the functions of these are called.

class Memory {
 public:
  explicit Memory(const Context& context) : context_(context) {}
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// 0 when none is left.
  [[nodiscard]] CUdeviceptr allocate(std::size_t bytes);
  /// Waits for its remaining users.
  void free(CUdeviceptr address) noexcept;

 private:
  const Context& context_;
  std::mutex mutex_;
  std::unordered_set<CUdeviceptr> used_;
};

class Streams {
 public:
  using Use = c_like::Ordering::Use;

  Streams(const Context& context, Stagings& uploads, Stagings& downloads);

  /// enqueue(stream) adds a command of `launches` launches to the stream it receives, on behalf of
  /// the thread's call if there is one; noted(queue, mark) receives the mark after it, unless it
  /// has already happened.
  template <class E, class N>
  void launch(std::span<const Use> uses, c_like::CallWork* call, std::int64_t launches, E enqueue,
              N noted) {
    const std::lock_guard lock(mutex_);
    const c_like::Ordering::Place place = ordering_.place(uses, call);
    const Stream& stream = compute_[place.queue];
    wait(place, stream);
    enqueue(stream);
    note(place.queue, stream, uses, call, [&](const c_like::Mark& mark) {
      if (call) call->add(place.queue, mark, launches);
      noted(place.queue, mark);
    });
  }
  /// Around foreign commands in a compute stream, which is chosen for these uses: commands enqueued
  /// after `order` run after the current users of the memory; after `mark` its uses are known.
  [[nodiscard]] std::size_t choose(std::span<const Use> uses, c_like::CallWork* call);
  void order(std::size_t queue, std::span<const Use> uses);
  void mark(std::size_t queue, std::span<const Use> uses, c_like::CallWork* call);
  [[nodiscard]] const Stream& compute(std::size_t queue) const { return compute_[queue]; }
  /// Before a copy, outside streams that others wait for: the host waits for the memory's users.
  void wait_for_users(const Use& use);
  /// Enclose the commands of an upload, in the stream of its staging.
  void before_upload(std::size_t staging, c_like::Address to);
  void after_upload(std::size_t staging, c_like::Address to);
  /// Before a download, which the caller waits for.
  void before_download(std::size_t staging, c_like::Address from);
  [[nodiscard]] bool is_used_by_others(c_like::Address address, c_like::Ordering::Owner owner);
  void forget(c_like::Address address) noexcept;

  /// Waits for all launches and uploads so far.
  void synchronize() const;

 private:
  static constexpr std::size_t computing = 16;
  static constexpr std::size_t share = 4;  // of one call: more do not speed up small kernels
  static constexpr std::size_t first_upload = computing;
  static constexpr std::size_t first_download = first_upload + Stagings::count;
  static constexpr std::size_t all = first_download + Stagings::count;

  static void wait(const c_like::Ordering::Place& place, const Stream& stream);
  template <class N>
  void note(std::size_t queue, const Stream& stream, std::span<const Use> uses,
            c_like::Ordering::Owner owner, N noted);

  std::deque<Stream> compute_;
  Stagings &uploads_, &downloads_;
  Marks marks_;
  std::mutex mutex_;  // held from a command's waits to its mark
  c_like::Ordering ordering_;
};

// A command that cannot be marked has happened before anyone could wait for it. It is no error: the
// command was enqueued, and must not be retried.
template <class N>
void Streams::note(std::size_t queue, const Stream& stream, std::span<const Use> uses,
                   c_like::Ordering::Owner owner, N noted) {
  try {
    const Marks::Mark mark = marks_.of(stream);
    ordering_.enqueued(queue, uses, mark, owner);
    noted(mark);
  } catch (...) {
    stream.synchronize();
  }
}

}  // namespace hasten::backends::cuda
