// The work of a launch, from its kernel and its extents: bytes, operations, and the kinds of reads.
// No machine, no times.
#pragma once

#include "kernels/kernel.hpp"
#include "runtime/profile/recording.hpp"

namespace hasten::runtime {

/// The numbers of one launch. Data-dependent work is counted at its minimum: a loop whose length no
/// extent determines counts as one round.
struct Work {
  /// Bytes that must come from memory or go there: for each input what is read of it, at most all
  /// of it; data in place along an axis counts once along it. For a random read, its element.
  double bytes = 0;
  /// Operations on floating-point numbers, a function like exp as one.
  double flops = 0;
  double gathers = 0;       // reads at indices that were read or found in a loop
  double strided = 0;       // reads that are not contiguous along the innermost axis
  double scattered = 0;     // updates at such indices
  double weight = 0;        // its operations, of all types, a function like exp as 20
  bool has_double = false;  // most of its operations have 64 bits
  bool has_loops = false;   // with data-dependent length: all these numbers are too small
};

[[nodiscard]] Work work_of(const kernels::Kernel& kernel, const LaunchShapes& shapes);

}  // namespace hasten::runtime
