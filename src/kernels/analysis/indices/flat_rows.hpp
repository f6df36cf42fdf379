// Kernels that see of an index only where it is in a row-major space, moved by what is the same
// everywhere: `m[i + 1, j] - m[i, j]`, or a part of a concat along the outermost axis.
#pragma once

#include "kernels/kernel.hpp"

#include <cstdint>
#include <vector>

namespace hasten::kernels {

/// A scalar argument, by number, that addresses take for the extent of an axis of the space.
struct RowExtent {
  std::uint32_t scalar, axis;
  friend bool operator==(const RowExtent&, const RowExtent&) = default;
};

/// If all of these are what they are taken for, the space may be run as (1, ..., 1, size), with the
/// same scalars. Empty: it may not. Of maps, and of scatters of one loop whose elements do not
/// meet.
[[nodiscard]] std::vector<RowExtent> flat_rows(const Kernel& kernel);

}  // namespace hasten::kernels
