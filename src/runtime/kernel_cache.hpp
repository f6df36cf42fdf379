// Compiled kernels: in memory, then on disk, then made. Each is made once, by whoever comes first.
#pragma once

#include "backends/backend.hpp"
#include "kernels/kernel.hpp"
#include "runtime/targets.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace hasten::runtime {

struct LoadedKernels {
  std::vector<std::shared_ptr<const backends::Code>> code;  // by kernel
  std::int64_t compiled = 0, from_cache = 0;
};

/// Compiles what is in no cache, several kernels at once. Throws what the backend throws.
[[nodiscard]] LoadedKernels load_kernels(const Device& device,
                                         std::span<const kernels::Kernel> kernels,
                                         std::span<const kernels::Key> keys,
                                         const backends::CompileOptions& options);

/// Forgets the kernels in memory; those in use live on. For tests and benchmarks.
void forget_kernels();

}  // namespace hasten::runtime
