// Runs kernels whose code is in the process already: a backend that compiles nothing.
#pragma once

#include "backends/backend.hpp"
#include "backends/cpu/functions.hpp"
#include "kernels/schedule.hpp"

#include <memory>

namespace hasten::backends {

/// `threads` 0: HASTEN_THREADS, else as many as may run.
[[nodiscard]] std::shared_ptr<Backend> make_linked_cpu_backend(int threads);

/// What this backend launches. The functions stay where they are.
[[nodiscard]] std::shared_ptr<const Code> linked_code(const kernels::Kernel& kernel,
                                                      const kernels::Schedule& schedule,
                                                      const cpu::KernelFunctions& functions);

}  // namespace hasten::backends
