// The kernels that measure a machine. They measure what the target would make of a user's program:
// vectors, registers, prefetches, and the way work is cut.
#pragma once

#include "backends/cpu/launch/launch.hpp"

#include <memory>

namespace hasten::backends::cpu {

/// Products and sums per element in the kernels that multiply.
inline constexpr std::int64_t products_of_element = 22;

struct MeasuredKernels {
  /// sum(a[row * stride + i]), a fold of rank 2 with the scalar `stride`.
  std::shared_ptr<const LoadedKernel> read;
  /// b[i] = a[i]
  std::shared_ptr<const LoadedKernel> copy;
  /// sum(table[places[row * stride + i]]), like `read`; places are i32.
  std::shared_ptr<const LoadedKernel> gather;
  /// sum of polynomials of a[row * stride + i], like `read`
  std::shared_ptr<const LoadedKernel> multiply_f32, multiply_f64;
};

/// Compiled on all threads of the launcher.
[[nodiscard]] MeasuredKernels make_measured_kernels(const Machine& machine,
                                                    const Launcher& launcher);

}  // namespace hasten::backends::cpu
