// What a kernel reads in its last stage alone.
//
// in:  a kernel
// out: by input, whether nothing but the epilogue of a scan reads it: devices that scan in stages
//      fold their tiles without it. So a part of a vector does not wait for what comes before it
#pragma once

#include "kernels/kernel.hpp"

#include <vector>

namespace hasten::kernels {

/// Empty: none is.
[[nodiscard]] std::vector<bool> late_inputs(const Kernel& kernel);

}  // namespace hasten::kernels
