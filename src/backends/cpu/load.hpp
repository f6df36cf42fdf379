// Compiled kernels, linked into this process.
#pragma once

#include "backends/cpu/launch/launch.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace hasten::backends::cpu {

/// `bytes` as compile_object gives them. Throws InternalError for what it does not, TargetError
/// when the kernel calls a foreign function that is not known in this process.
[[nodiscard]] std::shared_ptr<LoadedKernel> load_kernel(const kernels::Kernel& kernel,
                                                        std::span<const std::byte> bytes);

}  // namespace hasten::backends::cpu
