// Tile sizes follow from the size of the leaves, chunk sizes from the remaining local memory.
#include "backends/c_like/text/contraction.hpp"

#include <algorithm>

namespace hasten::backends::c_like {
namespace {

constexpr std::int64_t leaf_bytes_max = 16;

std::int64_t held_bytes(const Kernel& kernel, Value v) {
  return std::max<std::int64_t>(
      static_cast<std::int64_t>(detail::size_in_bytes(kernel.value_types[v])), 4);
}

// The bytes of one step of the folded axis.
std::int64_t bytes_of_step(const Kernel& kernel, const kernels::Contraction& contraction,
                           const kernels::GroupTile& tile) {
  std::int64_t sum = 0;
  const auto add = [&](const std::vector<Value>& shared, std::int64_t extent) {
    for (const Value v : shared) sum += (extent + contraction_gap) * held_bytes(kernel, v);
  };
  add(contraction.down.shared.results, tile.rows());
  add(contraction.across.shared.results, tile.columns());
  return sum;
}

}  // namespace

std::int64_t shared_steps(const Kernel& kernel, const kernels::Contraction& contraction,
                          const kernels::GroupTile& tile) {
  const std::int64_t bytes = bytes_of_step(kernel, contraction, tile);
  for (const std::int64_t steps : {8, 4})
    if (bytes > 0 && 2 * steps * bytes <= contraction_local_bytes) return steps;
  return 0;
}

kernels::GroupTile contraction_tile(const Kernel& kernel) {
  std::int64_t bytes = 0;
  for (const Value v : kernel.combine.results) bytes += held_bytes(kernel, v);
  if (bytes > leaf_bytes_max) return {};
  const auto contraction = kernels::find_contraction(kernel);
  if (!contraction) return {};
  kernels::GroupTile tile{.high = 4, .wide = bytes <= 4 ? 8 : 4};
  tile.steps = shared_steps(kernel, *contraction, tile);
  return tile;
}

}  // namespace hasten::backends::c_like
