// Devices that run functions of the host's among their commands, on their memory where it lies, as
// processors of OpenCL do: what drivers have beside their other functions.
#pragma once

#include "backends/c_like/launch/ordering.hpp"

#include <cstddef>
#include <functional>
#include <span>

namespace hasten::backends::c_like {

/// Is given where the memory lies, in the order of its uses. It throws nothing.
using HostFunction = std::function<void(std::span<std::byte* const>)>;

class RunsHostFunctions {
 public:
  virtual ~RunsHostFunctions() = default;
  /// Whether this one does.
  [[nodiscard]] virtual bool runs_host_functions() const = 0;
  /// Enqueues it as a launch with these uses. False: it does not see some of the memory, and
  /// nothing was done.
  [[nodiscard]] virtual bool run_on_host(const char* name, std::span<const Ordering::Use> uses,
                                         HostFunction f) = 0;
};

}  // namespace hasten::backends::c_like
