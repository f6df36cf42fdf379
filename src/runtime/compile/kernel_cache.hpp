// Compiled kernels: in memory, then on disk, then made. Programs that need the same one share it.
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
  std::vector<KernelCodeRef> ours;  // those that nobody had asked for
};

/// Finds kernels in memory, or prepares for what is to be loaded or compiled. Compiles nothing:
/// code that could not be made throws what the backend threw when it is asked for, and is tried
/// again by who comes next. Kernels without long loops are the same with and without polls.
[[nodiscard]] KernelsToLoad find_kernels(const std::shared_ptr<const Device>& device,
                                         std::span<const kernels::Kernel> kernels,
                                         std::span<const support::Digest> keys,
                                         const backends::CompileOptions& options);

/// Forgets the kernels in memory; those in use live on. For tests and benchmarks.
void forget_kernels();

}  // namespace hasten::runtime
