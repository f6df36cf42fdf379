// Device memory, the device's streams, and what waits for what.
//
// Launches go to several streams, copies to one of their own in each direction. A command waits for
// those that write what it reads, and that use what it writes, wherever they are: also when a block
// is used again for other bytes. Blocks that nobody uses are kept by those who ask for them here:
// giving one back waits for the whole device.
#pragma once

#include "backends/c_like/launch/ordering.hpp"
#include "backends/cuda/context.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

namespace hasten::backends::cuda {

/// Events used over and over. Dropping the last reference to a mark gives its event back.
class Marks {
 public:
  using Mark = std::shared_ptr<const Event>;

  explicit Marks(const Context& context) : context_(context) {}
  /// What is in the stream now.
  [[nodiscard]] Mark of(const Stream& stream);

 private:
  const Context& context_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Event>> spare_;
};

// The context is current where the functions of these are called.

class Memory {
 public:
  explicit Memory(const Context& context) : context_(context) {}
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// 0 when there is none left.
  [[nodiscard]] CUdeviceptr allocate(std::size_t bytes);
  /// Waits for what still uses it.
  void free(CUdeviceptr address) noexcept;

 private:
  const Context& context_;
  std::mutex mutex_;
  std::unordered_set<CUdeviceptr> used_;
};

class Streams {
 public:
  using Use = c_like::Ordering::Use;

  /// Copies have these streams.
  Streams(const Context& context, const Stream& uploads, const Stream& downloads);

  /// enqueue(stream) gives a launch to the stream that it is told.
  template <class F>
  void launch(std::span<const Use> uses, F enqueue) {
    const std::lock_guard lock(mutex_);
    const c_like::Ordering::Place place = ordering_.place(uses);
    const Stream& stream = compute_[place.queue];
    wait(place, stream);
    enqueue(stream);
    note(place.queue, stream, uses);
  }
  /// Around the commands of an upload, in its stream.
  void before_upload(c_like::Address to);
  void after_upload(c_like::Address to);
  /// Before a download, which the caller waits for.
  void before_download(c_like::Address from);
  void forget(c_like::Address address) noexcept;

  /// Waits for all launches so far.
  void synchronize() const;

 private:
  static constexpr std::size_t computing = 4;  // more give small kernels nothing
  static constexpr std::size_t upload_queue = computing, download_queue = computing + 1;

  static void wait(const c_like::Ordering::Place& place, const Stream& stream);
  void note(std::size_t queue, const Stream& stream, std::span<const Use> uses);

  const std::array<Stream, computing> compute_;
  const Stream &uploads_, &downloads_;
  Marks marks_;
  std::mutex mutex_;  // from a command's waits to its mark
  c_like::Ordering ordering_{computing + 2, computing};
};

}  // namespace hasten::backends::cuda
