// The kernels that a machine is measured with. What the target would make of a user's program is
// what is measured: vectors, registers, prefetches, and the way work is cut.
#pragma once

#include "backends/cpu/launch/launch.hpp"

#include <memory>

namespace hasten::backends::cpu {

/// Products and sums for each element of the kernels that multiply.
inline constexpr std::int64_t products_of_element = 22;

struct MeasuredKernels {
  /// sum(a[row * stride + i]), a fold of rank 2 with the scalar `stride`.
  std::shared_ptr<const LoadedKernel> read;
  /// b[i] = a[i]
  std::shared_ptr<const LoadedKernel> copy;
  /// sum(table[places[row * stride + i]]), as `read`; places are i32.
  std::shared_ptr<const LoadedKernel> gather;
  /// sum of polynomials of a[row * stride + i], as `read`
  std::shared_ptr<const LoadedKernel> multiply_f32, multiply_f64;
};

/// Compiled on all threads of the launcher.
[[nodiscard]] MeasuredKernels make_measured_kernels(const Machine& machine,
                                                    const Launcher& launcher);

}  // namespace hasten::backends::cpu
