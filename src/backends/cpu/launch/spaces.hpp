// Spaces of launches, by their extents.
#pragma once

#include "backends/cpu/frame.hpp"
#include "kernels/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hasten::backends::cpu {

inline std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The number of elements of a space with these extents.
inline std::int64_t product(std::span<const std::int64_t> extents) {
  std::int64_t result = 1;
  for (std::int64_t e : extents) result *= e;
  return result;
}

/// The rows and columns of a task.
struct Tiling {
  std::int64_t rows, columns;
};

/// Of a map; 1 if it has no tiles.
inline std::int64_t rows_of_tile(const kernels::Schedule& schedule) {
  return std::max({std::int64_t{1}, schedule.tile_rows, schedule.turned_rows});
}

/// Strips of about so many columns, and of several rows where all columns of one are fewer; whole
/// vectors. They are as wide as leaves each thread one, but have Schedule::strip_columns if there
/// are as many: memory that is walked in shorter runs comes a few times slower, which only many
/// threads make up for.
inline Tiling strips_of(std::int64_t rows, std::int64_t columns, std::int64_t wanted,
                        const kernels::Schedule& schedule, std::int64_t threads) {
  constexpr std::int64_t threads_for_short_runs = 4;  // for each strip that is wide enough
  const std::int64_t strips = divide_up(rows * columns, schedule.strip_columns);
  const std::int64_t least = threads > threads_for_short_runs * strips ? 1 : schedule.strip_columns;
  const std::int64_t share = std::min(strip_columns_max, divide_up(rows * columns, threads));
  const std::int64_t width = std::min(columns, std::max({wanted, share, least}));
  const std::int64_t lanes = schedule.lanes;
  return {std::clamp<std::int64_t>(wanted / std::max<std::int64_t>(1, columns), 1, rows),
          divide_up(width, lanes) * lanes};
}

/// The space of a fold with its folded axes as one.
class FoldedSpace {
 public:
  FoldedSpace(std::span<const std::int64_t> extents, std::size_t folded) : extents_(extents) {
    if (folded == 1) return;
    const std::size_t outer = extents.size() - folded;
    joined_.assign(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(outer));
    joined_.push_back(product(extents.last(folded)));
    extents_ = joined_;
  }
  [[nodiscard]] std::span<const std::int64_t> extents() const { return extents_; }

 private:
  std::vector<std::int64_t> joined_;
  std::span<const std::int64_t> extents_;
};

}  // namespace hasten::backends::cpu
