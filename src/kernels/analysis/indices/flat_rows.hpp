// Kernels that use an index only through its linear position in a row-major space, offset by
// uniform values: `m[i + 1, j] - m[i, j]`, or a part of a concat along the outermost axis.
#pragma once

#include "kernels/kernel.hpp"

#include <cstdint>
#include <vector>

namespace hasten::kernels {

/// The number of a scalar argument that addresses use as the extent of an axis of the space.
struct RowExtent {
  std::uint32_t scalar, axis;
  friend bool operator==(const RowExtent&, const RowExtent&) = default;
};

/// If each of these arguments equals that extent, the space may be run as (1, ..., 1, size), with
/// the same scalars. Empty: it may not. For maps, and scatters of one loop whose elements do not
/// meet.
[[nodiscard]] std::vector<RowExtent> flat_rows(const Kernel& kernel);

}  // namespace hasten::kernels
