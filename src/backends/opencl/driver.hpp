// One OpenCL device as a driver of the GPU backend.
#pragma once

#include "backends/c_like/driver.hpp"
#include "backends/opencl/library.hpp"

#include <memory>
#include <string>
#include <vector>

namespace hasten::backends::opencl {

/// All devices of all platforms, in the loader's order.
std::vector<cl_device_id> devices(const Library& library);
std::string text_of(const Library& library, cl_device_id device, cl_device_info what);

/// Throws TargetError when the device cannot be used.
std::shared_ptr<c_like::Driver> make_driver(const Library& library, cl_device_id device,
                                            std::string name);

}  // namespace hasten::backends::opencl
