// Devices with memory of their own whose kernels write host memory where it is, as processors of
// OpenCL do: what backends and drivers have beside their other functions.
#pragma once

#include "backends/backend.hpp"

#include <cstddef>
#include <memory>

namespace hasten::backends {

class WritesHostMemory {
 public:
  virtual ~WritesHostMemory() = default;
  /// Whether this one does.
  [[nodiscard]] virtual bool writes_host_memory() const = 0;
  /// Host memory as the device's, until the owner of what it gives is gone. `read` to that place
  /// waits, and copies nothing.
  [[nodiscard]] virtual Adopted adopt_host(std::byte* memory, std::size_t bytes,
                                           std::shared_ptr<void> owner) = 0;
};

}  // namespace hasten::backends
