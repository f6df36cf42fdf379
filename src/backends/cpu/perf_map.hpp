// HASTEN_PERF: names of generated code for Linux' perf, in /tmp/perf-PID.map.
#pragma once

#include "backends/cpu/forms.hpp"
#include "kernels/kernel.hpp"

#include <cstddef>
#include <span>

namespace hasten::backends::cpu {

/// Names the functions of a loaded object file: "hasten map 1f0e3dad run", with the skeleton and
/// the beginning of the key that HASTEN_DUMP=kernels prints. `run` is the address of its function
/// of this form. Does nothing unless HASTEN_PERF is set, or if the file cannot be written.
void add_to_perf_map(const kernels::Kernel& kernel, std::span<const std::byte> object, Form form,
                     const void* run);

}  // namespace hasten::backends::cpu
