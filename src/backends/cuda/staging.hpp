// Copies between any host memory and the device, through pinned memory in pieces: while the device
// moves one, the processor copies the next.
#pragma once

#include "backends/cuda/context.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

namespace hasten::backends::cuda {

/// One direction has one object. The context is current where these are called.
class Staging {
 public:
  explicit Staging(const Context& context) : context_(context), stream_(context) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  [[nodiscard]] const Stream& stream() const { return stream_; }
  /// Held from the first wait of a copy to its last piece, so that copies do not mix.
  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

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

}  // namespace hasten::backends::cuda
