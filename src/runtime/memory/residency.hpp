// Which devices hold a buffer's bytes, besides or instead of host memory. See docs/memory.md.
#pragma once

#include "runtime/memory/device_memory.hpp"
#include "runtime/memory/lent_elements.hpp"
#include "runtime/memory/memory.hpp"

#include <hasten/detail/host_array.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace hasten::runtime {

using DeviceMemoryRef = std::shared_ptr<DeviceMemory>;

class Copies;

/// The device memory that one launch uses: present, and pinned for the lifetime of this.
class WorkingSet {
 public:
  /// `limit` in bytes; 0: only the device's budget.
  WorkingSet(DeviceMemoryRef memory, std::size_t limit, bool clears_out = false)
      : memory_(std::move(memory)),
        limit_(limit),
        clears_out_(clears_out) {}
  ~WorkingSet();
  WorkingSet(const WorkingSet&) = delete;
  WorkingSet& operator=(const WorkingSet&) = delete;

  /// The buffer's bytes on the device: an existing copy, or a new one. Null when there is no room.
  /// Throws the device's errors.
  [[nodiscard]] std::byte* read(const detail::Buffer& buffer, const Holder& holder);
  /// The same, to be written: every other copy becomes invalid.
  [[nodiscard]] std::byte* update(const detail::Buffer& buffer, const Holder& holder);
  /// A buffer in device memory only, on account. Null when there is no room.
  [[nodiscard]] std::shared_ptr<detail::Buffer> make(std::size_t bytes,
                                                     const std::shared_ptr<Account>& account,
                                                     const Holder& holder);

  /// Memory for the duration of the launch. Null when there is no room.
  [[nodiscard]] std::byte* scratch(std::size_t bytes);

  /// Everything is present, and the launch follows.
  void is_complete();
  [[nodiscard]] bool was_complete() const { return is_complete_; }
  /// Bytes that were copied to the device for it.
  [[nodiscard]] std::int64_t copied_bytes() const { return copied_; }

 private:
  const DeviceMemoryRef memory_;
  const std::size_t limit_;
  const bool clears_out_;
  bool is_complete_ = false;
  std::int64_t copied_ = 0;
  std::vector<std::shared_ptr<Copies>> claimed_;
  std::vector<Block> scratch_;
};

/// Calls f(working set). If it throws MemoryError it is called again while no other thread
/// launches; and if everything was present then and the launch itself lacked memory, with nothing
/// else on the device.
void with_room(const DeviceMemoryRef& memory, std::size_t limit,
               const std::function<void(WorkingSet&)>& f);

/// Keeps the buffer's copy on a device, which must exist, from being moved out.
void pin(const detail::Buffer& buffer, const DeviceMemory& memory);

/// These bytes of a buffer, in host memory, as a separate buffer that is kept with it: devices'
/// copies of them exist when they are requested again. The last few are kept.
[[nodiscard]] std::shared_ptr<detail::Buffer> kept_part(
    const std::shared_ptr<detail::Buffer>& buffer, std::size_t begin, std::size_t bytes);

/// A buffer in device memory owned by others, which `owner` keeps alive while it is used. It is on
/// no account, and cannot be moved out to make room.
[[nodiscard]] std::shared_ptr<detail::Buffer> adopted(const DeviceMemoryRef& memory,
                                                      std::byte* address, std::size_t bytes,
                                                      std::shared_ptr<void> owner);

/// A component of `elements`, which is extracted on first use.
[[nodiscard]] std::shared_ptr<detail::Buffer> taken_out(LentElementsRef elements,
                                                        std::size_t member, std::size_t count);
/// The elements that the component is still to be extracted from; null: none.
[[nodiscard]] LentElementsRef lent_elements(const detail::Buffer& buffer);

/// Keeps the buffer's bytes on the device, where they are in `set`, for the lifetime of the result,
/// whatever else needs room.
[[nodiscard]] std::shared_ptr<void> keep(WorkingSet& set, const detail::Buffer& buffer,
                                         const DeviceMemoryRef& memory);

/// Whether others own the memory, in the host or on a device, and may change it between calls.
[[nodiscard]] bool is_lent(const detail::Buffer& buffer);

/// A buffer of these pieces, in host memory or on devices, one after the other. A device receives
/// them from where they are, if it reaches that; they are copied to memory of the buffer's own only
/// if the host reads it.
[[nodiscard]] std::shared_ptr<detail::Buffer> joined(
    std::vector<std::shared_ptr<detail::Buffer>> pieces);

/// Frees the copies of the buffer and of its parts on all devices, after copying bytes that are
/// nowhere else to the host. A copy that a launch is about to use is freed after it.
void release(const detail::Buffer& buffer);

/// Copies the buffer's bytes to this place in host memory, where they reside from now on: copies on
/// devices that nothing uses are freed. Null: to memory of its own. Does nothing if they are in
/// host memory.
void come_home(const detail::Buffer& buffer, const std::shared_ptr<detail::Buffer>& place);

/// Copies the buffer's bytes to other host memory, from a device if they are only there. The memory
/// may overlap the buffer.
void read_home(const detail::Buffer& buffer, std::byte* to);

}  // namespace hasten::runtime
