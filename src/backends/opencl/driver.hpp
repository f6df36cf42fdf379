// One OpenCL device as a driver of the GPU backend.
#pragma once

#include "backends/c_like/driver.hpp"
#include "backends/opencl/devices.hpp"

#include <memory>
#include <string>

namespace hasten::backends::opencl {

/// Throws TargetError when the device cannot be used.
std::shared_ptr<c_like::Driver> make_driver(const Library& library, const Device& device,
                                            std::string name);

}  // namespace hasten::backends::opencl
