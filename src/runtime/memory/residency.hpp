// Which devices have a buffer's bytes, beside host memory or instead of it. See docs/memory.md.
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

/// What one launch uses of a device's memory: it is there, and stays there until this is gone.
class WorkingSet {
 public:
  /// `limit` in bytes, 0: the device's budget alone.
  WorkingSet(DeviceMemoryRef memory, std::size_t limit, bool clears_out = false)
      : memory_(std::move(memory)),
        limit_(limit),
        clears_out_(clears_out) {}
  ~WorkingSet();
  WorkingSet(const WorkingSet&) = delete;
  WorkingSet& operator=(const WorkingSet&) = delete;

  /// The buffer's bytes on the device: the copy that is there, or a new one. Null when there is no
  /// room. Throws what the device throws.
  [[nodiscard]] std::byte* read(const detail::Buffer& buffer, const Holder& holder);
  /// The same, to be written: no other copy is right any more.
  [[nodiscard]] std::byte* update(const detail::Buffer& buffer, const Holder& holder);
  /// A buffer that is memory of the device only, on account. Null when there is no room.
  [[nodiscard]] std::shared_ptr<detail::Buffer> make(std::size_t bytes,
                                                     const std::shared_ptr<Account>& account,
                                                     const Holder& holder);

  /// Memory for the time of the launch. Null when there is no room.
  [[nodiscard]] std::byte* scratch(std::size_t bytes);

  /// All is there, and now it is launched.
  void is_complete();
  [[nodiscard]] bool was_complete() const { return is_complete_; }
  /// Bytes that were copied to the device to be there.
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

/// f(working set). If it throws MemoryError it is called again when no other thread launches; and
/// if all was there by then and the launch itself had no memory, with nothing else on the device.
void with_room(const DeviceMemoryRef& memory, std::size_t limit,
               const std::function<void(WorkingSet&)>& f);

/// Keeps the buffer's copy on a device, which must be there, from being moved out.
void pin(const detail::Buffer& buffer, const DeviceMemory& memory);

/// These bytes of a buffer, in host memory, as a buffer of their own that is kept with it: what
/// devices have of them is there when they are asked for again. The last few are kept.
[[nodiscard]] std::shared_ptr<detail::Buffer> kept_part(
    const std::shared_ptr<detail::Buffer>& buffer, std::size_t begin, std::size_t bytes);

/// A buffer that is memory of others' on the device, which `owner` keeps until nothing uses it. It
/// is on no account, and no room is made by moving it out.
[[nodiscard]] std::shared_ptr<detail::Buffer> adopted(const DeviceMemoryRef& memory,
                                                      std::byte* address, std::size_t bytes,
                                                      std::shared_ptr<void> owner);

/// A component of so many elements, which is taken out of them when it is first asked for.
[[nodiscard]] std::shared_ptr<detail::Buffer> taken_out(LentElementsRef elements,
                                                        std::size_t member, std::size_t count);
/// What the component is still to be taken out of; null: of nothing.
[[nodiscard]] LentElementsRef lent_elements(const detail::Buffer& buffer);

/// Keeps the buffer's bytes on the device, where they are in `set`, for as long as what is returned
/// is there, whatever else needs room.
[[nodiscard]] std::shared_ptr<void> keep(WorkingSet& set, const detail::Buffer& buffer,
                                         const DeviceMemoryRef& memory);

/// Whether it is memory of others', in the host or on a device, which may change between calls.
[[nodiscard]] bool is_lent(const detail::Buffer& buffer);

/// Frees the buffer's copies on all devices, and its parts', after bringing home what is nowhere
/// else. A copy that a launch is about to use goes after it.
void release(const detail::Buffer& buffer);

/// Copies the buffer's bytes to this place in host memory, which is theirs from now on. Nothing if
/// they are in host memory.
void come_home(const detail::Buffer& buffer, const std::shared_ptr<detail::Buffer>& place);

/// Copies the buffer's bytes to other host memory, from a device if they are there alone. The
/// memory may overlap the buffer.
void read_home(const detail::Buffer& buffer, std::byte* to);

}  // namespace hasten::runtime
