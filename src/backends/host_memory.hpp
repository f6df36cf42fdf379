// An additional interface of backends and drivers: devices with memory of their own whose kernels
// can write host memory in place, as OpenCL's processors do.
#pragma once

#include "backends/backend.hpp"

#include <cstddef>
#include <memory>

namespace hasten::backends {

class WritesHostMemory {
 public:
  virtual ~WritesHostMemory() = default;
  /// Whether this device does.
  [[nodiscard]] virtual bool writes_host_memory() const = 0;
  /// Host memory as device memory, until the owner of the result is released. `read` to that place
  /// waits, and copies nothing.
  [[nodiscard]] virtual Adopted adopt_host(std::byte* memory, std::size_t bytes,
                                           std::shared_ptr<void> owner) = 0;
};

}  // namespace hasten::backends
