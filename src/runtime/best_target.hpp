// The default target.
#pragma once

#include "backends/gpus.hpp"

#include <span>
#include <string>

namespace hasten::runtime {

/// The targets that a machine offers, in order of preference.
struct Offer {
  std::span<const backends::Gpu> cuda_gpus = {}, opencl_gpus = {};
  bool has_cpu = false;            // the target of that name
  bool has_opencl_device = false;  // of any kind
};

/// The GPU with the fastest memory, as reported by its driver; OpenCL's only where CUDA has none.
/// Else "cpu", else "opencl:0", else "interpreter". No result depends on the choice except where
/// targets may differ.
[[nodiscard]] std::string best_of(const Offer& offer);

/// For this machine, determined once. Warns on standard error if it is the interpreter.
[[nodiscard]] const std::string& best_target();

/// The devices of a plain "multi": the processor and all GPUs.
[[nodiscard]] std::vector<std::string> devices_of_multi();

}  // namespace hasten::runtime
