// Compiled kernels, linked into this process.
#pragma once

#include "backends/cpu/launch/launch.hpp"
#include "backends/cpu/machine/machine.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace hasten::backends::cpu {

/// `bytes` as compile_object gives them for this machine, of the usual form. Other forms are found
/// in the store, which may be null, or compiled and kept there, when launches call for them. Throws
/// InternalError for other bytes, TargetError when the kernel calls a foreign function that is not
/// known in this process.
[[nodiscard]] std::shared_ptr<LoadedKernel> load_kernel(
    const kernels::Kernel& kernel, std::span<const std::byte> bytes, const Machine& machine,
    std::shared_ptr<const CodeStore> store = nullptr);

}  // namespace hasten::backends::cpu
