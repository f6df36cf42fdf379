// Tiles by the size of the leaves, chunks by what is left of local memory.
#include "backends/c_like/text/contraction.hpp"

#include <hasten/error.hpp>

#include <algorithm>

namespace hasten::backends::c_like {
namespace {

constexpr std::size_t leaf_bytes_max = 16;

std::int64_t held_bytes(const Kernel& kernel, Value v) {
  return std::max<std::int64_t>(
      static_cast<std::int64_t>(detail::size_in_bytes(kernel.value_types[v])), 4);
}

// Of one step of the folded axis.
std::int64_t bytes_of_step(const Kernel& kernel, const ContractionPlan& plan,
                           const ContractionTile& tile) {
  std::int64_t sum = 0;
  const auto add = [&](const std::vector<Value>& shared, std::int64_t extent) {
    for (const Value v : shared) sum += (extent + contraction_gap) * held_bytes(kernel, v);
  };
  add(plan.down.shared.results, tile.rows());
  add(plan.across.shared.results, tile.columns());
  return sum;
}

}  // namespace

ContractionTile contraction_tile(const Kernel& kernel) {
  std::size_t bytes = 0;
  for (const Value v : kernel.combine.results)
    bytes += static_cast<std::size_t>(held_bytes(kernel, v));
  if (bytes > leaf_bytes_max || !kernels::find_contraction(kernel)) return {};
  return bytes <= 4 ? ContractionTile{4, 8} : ContractionTile{4, 4};
}

ContractionPlan contraction_plan(const Kernel& kernel, const ContractionTile& tile) {
  auto contraction = kernels::find_contraction(kernel);
  if (!contraction) throw InternalError("c_like: no contraction");
  ContractionPlan plan{std::move(*contraction)};
  const std::int64_t bytes = bytes_of_step(kernel, plan, tile);
  for (const std::int64_t deep : {8, 4})
    if (plan.deep == 0 && bytes > 0 && 2 * deep * bytes <= contraction_local_bytes)
      plan.deep = deep;
  return plan.deep > 0 ? plan : ContractionPlan{};
}

}  // namespace hasten::backends::c_like
