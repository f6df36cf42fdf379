// The inputs that a kernel reads only in its last stage.
//
// in:  a kernel
// out: by input, whether only the epilogue of a scan reads it: devices that scan in stages fold
//      their tiles without it, so that a part of a vector does not wait for what comes before it
#pragma once

#include "kernels/kernel.hpp"

#include <vector>

namespace hasten::kernels {

/// Empty if there is no such input.
[[nodiscard]] std::vector<bool> late_inputs(const Kernel& kernel);

}  // namespace hasten::kernels
