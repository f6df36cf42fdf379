// Maps that read neighbourhoods, such as stencils: where no index needs a test or a correction, an
// item computes several rows of a column, and the loads of one row serve the next.
#pragma once

#include "backends/c_like/text/source.hpp"
#include "kernels/analysis/indices/index_width.hpp"
#include "kernels/kernel.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hasten::backends::c_like {

/// Columns of a tile: a row of it is two warps or more.
inline constexpr std::int64_t tile_columns = 64;
inline constexpr std::int64_t tile_items_down = group_size / tile_columns;

struct TiledMap {
  kernels::Kernel kernel;         // the same, with the interior of all axes
  kernels::NarrowDemands narrow;  // of its narrow text
  std::int64_t high = 0;          // rows per item
  [[nodiscard]] std::int64_t rows() const { return high * tile_items_down; }
};

/// Rows per item; 0 if the kernel is not a map of two axes or more that reads an array several
/// times and whose indices have an interior, or is too large for it to pay.
[[nodiscard]] std::int64_t interior_rows(const kernels::Kernel& kernel);

/// For a kernel whose `interior_rows` are `high`.
[[nodiscard]] TiledMap tiled_map(const kernels::Kernel& kernel, std::int64_t high);

/// The interior in a space: begin and end of axis 0, of axis 1, ..., within the extents.
/// `scalars` as in LaunchArguments.
[[nodiscard]] std::vector<std::int64_t> interior_of(const kernels::Kernel& kernel,
                                                    std::span<const std::int64_t> extents,
                                                    std::span<const std::uint64_t> scalars);

/// The text of entry::tiled.
[[nodiscard]] std::string tiled_source(const kernels::Kernel& kernel, std::int64_t high,
                                       const Dialect& dialect, IndexWidth width);

}  // namespace hasten::backends::c_like
