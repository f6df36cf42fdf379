// Code of a library's kernels, for the processor or device that runs them.
#pragma once

#include "backends/backend.hpp"
#include "backends/cpu/launch/sort/sort.hpp"
#include "runtime/memory/device_memory.hpp"

#include <hasten/c_library.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace hasten::ahead {

/// Thread-safe.
class LinkedCode {
 public:
  virtual ~LinkedCode() = default;
  [[nodiscard]] virtual std::shared_ptr<backends::Backend> backend() const = 0;
  /// Null: the backend works in host memory.
  [[nodiscard]] virtual std::shared_ptr<runtime::DeviceMemory> memory() const { return nullptr; }
  /// The code of a kernel, by its number in the library. Throws Error if the device rejects it.
  [[nodiscard]] virtual std::shared_ptr<const backends::Code> kernel(
      std::uint32_t number, const kernels::Kernel& kernel) const = 0;
};

[[nodiscard]] inline std::span<const std::byte> bytes_of(const hasten_block& block) {
  return {reinterpret_cast<const std::byte*>(block.bytes), block.size};
}

}  // namespace hasten::ahead

struct hasten_sorter {
  hasten::backends::cpu::SortFunction sort;
};

/// A kind of device. Libraries with code for it refer to this: others are linked without it.
struct hasten_device_kind {
  /// Throws TargetError if there is no device of this number.
  std::unique_ptr<hasten::ahead::LinkedCode> (*open)(const hasten_device_code& code,
                                                     std::size_t device);
};
