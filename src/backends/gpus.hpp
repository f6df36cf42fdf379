// The GPUs among the devices, for who chooses a target by itself.
#pragma once

#include "backends/facts.hpp"

#include <cstddef>
#include <vector>

namespace hasten::backends {

struct Gpu {
  std::size_t index;  // as make_opencl_backend and make_cuda_backend have it
  Facts facts;        // what the driver says
};

/// Those that CUDA's driver knows, if there is an NVRTC to compile for them.
[[nodiscard]] std::vector<Gpu> cuda_gpus();
/// Those among OpenCL's devices. Drivers are not opened where the system has no GPU: on a processor
/// alone they take long to open, and have nothing to say.
[[nodiscard]] std::vector<Gpu> opencl_gpus();

}  // namespace hasten::backends
