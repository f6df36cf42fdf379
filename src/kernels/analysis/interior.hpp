// Peels borders from the interior: finds the range in which the index tests and corrections of a
// map, or a fold, have no effect.
//
// before: element (i, j) { ... max(min(j + 1, n - 1), 0) ... if j + 1 < n then ... else ... }
// after:  the same, and interior: for 0 <= j + 1 <= n - 1, element (i, j) { ... j + 1 ... }
// why:    stencils and shifted reads correct every index, which only the border needs: without
//         corrections reads are contiguous
// needs:  a simplified element function, no complex values
#pragma once

#include "kernels/kernel.hpp"

#include <cstdint>
#include <optional>

namespace hasten::kernels {

/// The axes along which tests and corrections are removed.
enum class InteriorAxes : std::uint8_t {
  /// The inner axis, and outer ones where the inner loop meets a test: for loops along rows.
  of_rows,
  all,
};

/// What is removed along these axes.
enum class InteriorTests : std::uint8_t {
  all,
  /// Only the limits of reads that may be out of range (lowering/open_reads.cpp). The program's own
  /// tests stay: most of them fail somewhere in the space.
  limits_of_reads,
};

/// Sets the interior of a map, of a fold in lanes along the reduction, or of each loop of a scatter
/// whose elements do not meet, if its indices are tested or corrected along these axes.
void find_interior(Kernel& kernel, InteriorAxes axes = InteriorAxes::of_rows);

/// The range in which no read is out of range, and the element function without limits, of a kernel
/// of one loop. None if no read has a limit whose range can be told.
[[nodiscard]] std::optional<Interior> range_of_reads(Kernel& kernel);

}  // namespace hasten::kernels
