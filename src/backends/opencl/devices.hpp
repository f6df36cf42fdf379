// The OpenCL devices of the machine, whole or in parts.
#pragma once

#include "backends/facts.hpp"
#include "backends/opencl/library.hpp"

#include <string>
#include <vector>

namespace hasten::backends::opencl {

struct Device {
  cl_device_id id;
  std::string part;                     // ", part 1 of 2"; empty: a whole device
  std::vector<cl_device_id> all_parts;  // of the same device, including this one
};

/// All devices of all platforms, in the loader's order; the same ones on every call. With
/// HASTEN_OPENCL_SUBDEVICES=N each device with at least N compute units that can be split is listed
/// as N parts of equal size; the others stay whole.
const std::vector<Device>& devices(const Library& library);

std::string text_of(const Library& library, cl_device_id device, cl_device_info what);
std::string platform_of(const Library& library, cl_device_id device);
std::int64_t compute_units(const Library& library, cl_device_id device);
bool is_processor(const Library& library, cl_device_id device);
Facts facts_of(const Library& library, cl_device_id device);

/// The properties that Determinism::everywhere requires of a device's arithmetic and that these
/// flags of CL_DEVICE_SINGLE_FP_CONFIG lack, in words; empty: none.
std::string missing_for_same_bits(cl_device_fp_config single);
cl_device_fp_config single_arithmetic_of(const Library& library, cl_device_id device);

}  // namespace hasten::backends::opencl
