// Code of a library's kernels, for what runs them: a processor, or a device.
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
  /// Of a kernel by its number in the library. Throws Error where the device takes it not.
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

/// Devices of a kind, which libraries name that have code for them: others are linked without.
struct hasten_device_kind {
  /// Throws TargetError where there is no device of the number.
  std::unique_ptr<hasten::ahead::LinkedCode> (*open)(const hasten_device_code& code,
                                                     std::size_t device);
};
