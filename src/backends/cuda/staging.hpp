// Copies between any host memory and the device, through pinned memory in pieces: while the device
// moves one, the processor copies the next.
//
// Several copies of one direction go at once, each in a stream of its own: what one call copies
// does not keep that of another waiting.
#pragma once

#include "backends/cuda/context.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

namespace hasten::backends::cuda {

/// For one large copy at a time. The context is current where these are called.
class Staging {
 public:
  explicit Staging(const Context& context) : context_(context), stream_(context) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  [[nodiscard]] const Stream& stream() const { return stream_; }
  /// Held from the first piece of a large copy to its last one. Small ones need no pieces.
  [[nodiscard]] std::mutex& mutex() { return mutex_; }
  [[nodiscard]] static bool is_small(std::size_t bytes);

  /// Returns when `from` may change, maybe before `to` has it.
  void upload(CUdeviceptr to, const std::byte* from, std::size_t bytes);
  /// Returns when all is there.
  void download(std::byte* to, CUdeviceptr from, std::size_t bytes);

 private:
  struct Piece {
    void* memory = nullptr;
    std::unique_ptr<Event> done;  // the device with it
  };
  bool has_pieces();

  const Context& context_;
  Stream stream_;
  std::mutex mutex_;
  std::array<Piece, 2> pieces_;
};

/// Those of one direction.
class Stagings {
 public:
  static constexpr std::size_t count = 3;

  explicit Stagings(const Context& context)
      : all_{Staging(context), Staging(context), Staging(context)} {}

  struct Taken {
    std::size_t which;
    std::unique_lock<std::mutex> lock;
  };
  /// One that is free, if there is; else the copy waits for its turn.
  [[nodiscard]] Taken take(std::size_t bytes);
  [[nodiscard]] Staging& at(std::size_t which) { return all_[which]; }

 private:
  std::array<Staging, count> all_;
  std::atomic<std::size_t> turns_{0};
};

}  // namespace hasten::backends::cuda
