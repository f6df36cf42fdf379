// Copies between any host memory and the device, in pieces through pinned memory: while the device
// moves one piece, the processor copies the next.
//
// Several copies of one direction run concurrently, each in its own stream: the copies of one call
// do not delay those of another.
#pragma once

#include "backends/cuda/context.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

namespace hasten::backends::cuda {

/// For one large copy at a time. The context must be current where these are called.
class Staging {
 public:
  explicit Staging(const Context& context) : context_(context), stream_(context) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  [[nodiscard]] const Stream& stream() const { return stream_; }
  /// Held from the first piece of a large copy to its last one. Small copies have no pieces.
  [[nodiscard]] std::mutex& mutex() { return mutex_; }
  [[nodiscard]] static bool is_small(std::size_t bytes);

  /// Returns when `from` may change, perhaps before `to` has the data.
  void upload(CUdeviceptr to, const std::byte* from, std::size_t bytes);
  /// Returns when all data has arrived.
  void download(std::byte* to, CUdeviceptr from, std::size_t bytes);

 private:
  struct Piece {
    void* memory = nullptr;
    std::unique_ptr<Event> done;  // when the device has finished with it
  };
  bool has_pieces();

  const Context& context_;
  Stream stream_;
  std::mutex mutex_;
  std::array<Piece, 2> pieces_;
};

/// The stagings of one direction.
class Stagings {
 public:
  static constexpr std::size_t count = 3;

  explicit Stagings(const Context& context)
      : all_{Staging(context), Staging(context), Staging(context)} {}

  struct Taken {
    std::size_t which;
    std::unique_lock<std::mutex> lock;
  };
  /// A free one, if any; else the copy waits for its turn.
  [[nodiscard]] Taken take(std::size_t bytes);
  [[nodiscard]] Staging& at(std::size_t which) { return all_[which]; }

 private:
  std::array<Staging, count> all_;
  std::atomic<std::size_t> turns_{0};
};

}  // namespace hasten::backends::cuda
