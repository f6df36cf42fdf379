// The object file is kept as long as the kernel.
#include "backends/cpu/load.hpp"

#include "backends/cpu/jit.hpp"
#include "backends/cpu/perf_map.hpp"

namespace hasten::backends::cpu {

std::shared_ptr<LoadedKernel> load_kernel(const kernels::Kernel& kernel,
                                          std::span<const std::byte> bytes) {
  const kernels::ScheduledCode code = kernels::split_schedule(bytes);
  const Exports exports{exports_finish(kernel), code.schedule.packed.rows > 0};
  auto object =
      std::make_shared<const LoadedObject>(code.code, exports, kernels::foreign_functions(kernel));
  const KernelFunctions functions = object->functions();
  add_to_perf_map(kernel, code.code, reinterpret_cast<const void*>(functions.run));
  return std::make_shared<LoadedKernel>(kernel, code.schedule, functions, std::move(object));
}

}  // namespace hasten::backends::cpu
