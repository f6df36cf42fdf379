// Devices that run functions of the host among their commands, on their memory in place, as
// OpenCL's processors do: what their drivers offer beside other functions.
#pragma once

#include "backends/c_like/launch/ordering.hpp"

#include <cstddef>
#include <functional>
#include <span>

namespace hasten::backends::c_like {

/// Is passed the addresses of the memory, in the order of its uses. It does not throw.
using HostFunction = std::function<void(std::span<std::byte* const>)>;

class RunsHostFunctions {
 public:
  virtual ~RunsHostFunctions() = default;
  /// Whether this driver does.
  [[nodiscard]] virtual bool runs_host_functions() const = 0;
  /// Enqueues the function as a launch with these uses. False: the device does not see some of the
  /// memory, and nothing was done.
  [[nodiscard]] virtual bool run_on_host(const char* name, std::span<const Ordering::Use> uses,
                                         HostFunction f) = 0;
};

}  // namespace hasten::backends::c_like
