// Runs kernels whose code is already part of the process: a backend that compiles nothing.
#pragma once

#include "backends/backend.hpp"
#include "backends/cpu/functions.hpp"
#include "backends/cpu/launch/sort/sort.hpp"
#include "kernels/schedule.hpp"

#include <memory>

namespace hasten::backends {

/// `threads` 0: HASTEN_THREADS, else as many as may run. `sort` is cpu::sort_positions, or null
/// where nothing sorts: it is a quarter of the linked code.
[[nodiscard]] std::shared_ptr<Backend> make_linked_cpu_backend(int threads, cpu::SortFunction sort);

/// The code that this backend launches. The functions stay where they are.
[[nodiscard]] std::shared_ptr<const Code> linked_code(const kernels::Kernel& kernel,
                                                      const kernels::Schedule& schedule,
                                                      const cpu::KernelFunctions& functions);

}  // namespace hasten::backends
