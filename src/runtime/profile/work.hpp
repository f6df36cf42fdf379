// What a launch has to do, from its kernel and the extents it was given: bytes, operations, and how
// it reads. No machine, no times.
#pragma once

#include "kernels/kernel.hpp"
#include "runtime/profile/recording.hpp"

namespace hasten::runtime {

/// Numbers of one launch. What depends on data is counted as little as it can be: a loop whose
/// length no extent tells has one round.
struct Work {
  /// That must come from memory or go there: of each input what is read of it, at most all of it;
  /// what stays in place along an axis counts once along it. Of a random read, its element.
  double bytes = 0;
  /// Operations on floating-point numbers, a function like exp as one.
  double flops = 0;
  double gathers = 0;       // reads at indices that were read or found in a loop
  double strided = 0;       // reads whose neighbours along the innermost axis are no neighbours
  double scattered = 0;     // updates at such indices
  double weight = 0;        // its operations, of all types, a function like exp as 20
  bool has_double = false;  // most of its operations have 64 bits
  bool has_loops = false;   // whose length depends on data: all these numbers are too small
};

[[nodiscard]] Work work_of(const kernels::Kernel& kernel, const LaunchShapes& shapes);

}  // namespace hasten::runtime
