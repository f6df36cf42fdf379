// The devices that the driver sees, and their properties.
#pragma once

#include "backends/cuda/api/library.hpp"
#include "backends/cuda/occupancy.hpp"
#include "backends/facts.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace hasten::backends::cuda {

struct DeviceProperties {
  CUdevice handle = 0;
  std::string name;
  int major = 0, minor = 0;  // of the compute capability
  int multiprocessors = 0;
  Multiprocessor multiprocessor = {};
  std::int64_t grid_x = 0, grid_y = 0;  // the most blocks
  std::size_t memory = 0;
  int cache_bytes = 0;                              // 0: not reported by the driver
  int memory_clock_khz = 0, memory_width_bits = 0;  // the same

  [[nodiscard]] int arch() const { return 10 * major + minor; }  // 90
  /// "NVIDIA H200, sm_90, 132 multiprocessors, 139.8 GiB"
  [[nodiscard]] std::string description() const;
  [[nodiscard]] Facts facts() const;
};

/// The devices of compute capability 7.0 or more, in the driver's order. When there are none, `why`
/// has the reason.
std::vector<DeviceProperties> devices(const Library& library, std::string& why);

}  // namespace hasten::backends::cuda
