// One CUDA device as a driver of the GPU backend.
#pragma once

#include "backends/c_like/driver.hpp"
#include "backends/cuda/api/library.hpp"
#include "backends/cuda/device.hpp"

#include <memory>
#include <string>

namespace hasten::backends::cuda {

/// Throws TargetError when the device cannot be used.
std::shared_ptr<c_like::Driver> make_driver(const Library& library, const DeviceProperties& device,
                                            std::string name);

}  // namespace hasten::backends::cuda
