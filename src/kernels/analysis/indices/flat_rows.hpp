// Kernels that use some of their last axes only as the place in a row-major space, moved by values
// that are the same everywhere: `m[i + 1, j] - m[i, j]`, the parts of a concat along the outermost
// axis, and the results of a fold or scan of whole images, pixel by pixel.
#pragma once

#include "kernels/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hasten::kernels {

/// The number of a scalar argument that addresses use as the extent of an axis of the space.
struct RowExtent {
  std::uint32_t scalar, axis;
  friend bool operator==(const RowExtent&, const RowExtent&) = default;
};

/// Axes of a space that are one: those from `first` on, of a fold or scan without the folded one.
struct FlatRows {
  std::uint32_t first = 0;
  std::vector<RowExtent> extents;  // empty: no axes are one
  friend bool operator==(const FlatRows&, const FlatRows&) = default;
};

/// If each of these arguments equals that extent, these axes may be run as (1, ..., 1, size), with
/// the same scalars. For maps, folds and scans of one axis, and scatters of one loop.
[[nodiscard]] FlatRows flat_rows(const Kernel& kernel);

/// The same for the axes from `first` on, with this element; the extents of those after it.
[[nodiscard]] std::vector<RowExtent> flat_from(const Kernel& kernel, const Region& element,
                                               std::uint32_t first);

/// Whether these axes of a launch over the space are one, and gain by it.
[[nodiscard]] bool are_one(const FlatRows& rows, const Kernel& kernel,
                           std::span<const std::uint64_t> scalars,
                           std::span<const std::int64_t> space);

/// The number of axes that may be one: the last ones of the space, or of a fold's or scan's
/// results.
[[nodiscard]] std::size_t axes_of_rows(const Kernel& kernel);

}  // namespace hasten::kernels
