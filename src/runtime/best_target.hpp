// The target that programs run on when nobody names one.
#pragma once

#include "backends/gpus.hpp"

#include <span>
#include <string>

namespace hasten::runtime {

/// What a machine offers, in the order in which targets are preferred.
struct Offer {
  std::span<const backends::Gpu> cuda_gpus = {}, opencl_gpus = {};
  bool has_cpu = false;            // the target of that name
  bool has_opencl_device = false;  // of any kind
};

/// The GPU whose memory is fastest, as its driver says; of OpenCL's only where CUDA has none. Else
/// "cpu", else "opencl:0", else "interpreter". No result depends on the choice but where targets
/// may differ.
[[nodiscard]] std::string best_of(const Offer& offer);

/// Of this machine, looked up once. Warns on standard error where it is the interpreter.
[[nodiscard]] const std::string& best_target();

/// What "multi" alone stands for: the processor and all GPUs.
[[nodiscard]] std::vector<std::string> devices_of_multi();

}  // namespace hasten::runtime
