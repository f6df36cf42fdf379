// Compiled kernels: from memory, else from disk, else compiled. Programs share equal kernels.
#pragma once

#include "backends/backend.hpp"
#include "kernels/kernel.hpp"
#include "runtime/compile/kernel_code.hpp"
#include "runtime/targets.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace hasten::runtime {

struct KernelsToLoad {
  std::vector<KernelCodeRef> code;  // by kernel
  std::vector<KernelCodeRef> ours;  // those that nobody had requested before
};

/// Finds kernels in memory, or prepares to load or compile them. Compiles nothing. When code that
/// could not be made is requested, it throws the backend's error, and the next request tries again.
/// Kernels without long loops are the same with and without polls.
[[nodiscard]] KernelsToLoad find_kernels(const std::shared_ptr<const Device>& device,
                                         std::span<const kernels::Kernel> kernels,
                                         std::span<const support::Digest> keys,
                                         const backends::CompileOptions& options);

/// Forgets the kernels in memory; those in use stay alive. For tests and benchmarks.
void forget_kernels();

}  // namespace hasten::runtime
