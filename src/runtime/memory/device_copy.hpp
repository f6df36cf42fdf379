// A buffer's bytes on one device.
#pragma once

#include "runtime/memory/device_memory.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/report/trace.hpp"

#include <hasten/detail/host_array.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace hasten::runtime {

/// Counted, on account if there is one, and among what its device may move out. Whoever has it
/// guards it by a mutex, but for reads.
class DeviceCopy {
 public:
  DeviceCopy(Block block, std::weak_ptr<Movable> owner, std::size_t bytes, const Holder& holder,
             std::shared_ptr<Account> account);
  ~DeviceCopy();
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;

  [[nodiscard]] DeviceMemory& memory() const { return block_.memory(); }
  [[nodiscard]] std::byte* address() const { return block_.address(); }
  [[nodiscard]] bool is_lent() const { return block_.is_lent(); }
  void touch() {
    if (!is_lent()) memory().touch(place_);
  }
  void pin(bool pins);

  void write(const std::byte* from);
  void write(std::span<const backends::HostPiece> pieces);
  /// Copies all of another copy to this offset, without going through the host.
  void write(std::size_t offset, const DeviceCopy& from);
  void read(std::byte* to) const;
  [[nodiscard]] std::shared_ptr<detail::Buffer> brought_home() const;

  int claims = 0;           // by launches
  int reads = 0;            // in progress
  bool is_leaving = false;  // freed when nothing needs it
  bool is_pinned = false;
  [[nodiscard]] bool is_needed() const { return claims > 0 || reads > 0; }
  [[nodiscard]] bool may_be_dropped() const { return !is_needed() && !is_lent() && !is_pinned; }

 private:
  [[nodiscard]] TraceDetails details() const;
  void note(std::int64_t took) const;

  Block block_;
  DeviceMemory::Place place_{};  // unless it is lent
  std::int64_t bytes_;
  std::shared_ptr<Account> account_;
};

}  // namespace hasten::runtime
