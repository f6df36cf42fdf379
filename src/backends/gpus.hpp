// The GPUs among the devices, for the automatic choice of a target.
#pragma once

#include "backends/facts.hpp"

#include <cstddef>
#include <vector>

namespace hasten::backends {

struct Gpu {
  std::size_t index;  // as in make_opencl_backend and make_cuda_backend
  Facts facts;        // as reported by the driver
};

/// Those that CUDA's driver reports, if an NVRTC is available to compile for them.
[[nodiscard]] std::vector<Gpu> cuda_gpus();
/// Those among OpenCL's devices. Drivers are not opened where the system has no GPU: with only a
/// processor they take long to open, and have nothing to offer.
[[nodiscard]] std::vector<Gpu> opencl_gpus();

}  // namespace hasten::backends
