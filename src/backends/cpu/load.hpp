// Links compiled kernels into this process.
#pragma once

#include "backends/cpu/launch/launch.hpp"
#include "backends/cpu/machine/machine.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace hasten::backends::cpu {

/// `bytes` come from compile_object for this machine, in the usual form. Other forms are taken from
/// the store, which may be null, or compiled and stored there, when launches need them. Throws
/// InternalError for other bytes, TargetError when the kernel calls a foreign function that this
/// process does not know.
[[nodiscard]] std::shared_ptr<LoadedKernel> load_kernel(
    const kernels::Kernel& kernel, std::span<const std::byte> bytes, const Machine& machine,
    std::shared_ptr<const CodeStore> store = nullptr);

}  // namespace hasten::backends::cpu
