// Decides from strides, contractions and interiors, which target-independent analyses find.
#include "backends/c_like/text/schedule.hpp"

#include "backends/c_like/text/contraction.hpp"
#include "backends/c_like/text/tiled_map.hpp"
#include "kernels/analysis/strides.hpp"
#include "kernels/stages.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {
namespace {

// Decides from the strides of the reads.
kernels::ItemAxis item_axis(const kernels::Kernel& kernel) {
  if (kernel.skeleton != kernels::Skeleton::fold || kernel.rank < 2 || kernel.folded > 1 ||
      kernel.range)
    return kernels::ItemAxis::folded;
  const int along = kernels::read_cost(kernel, kernel.rank - 1);
  const int across = kernels::read_cost(kernel, kernel.rank - 2);
  if (along == across) return kernels::ItemAxis::by_extents;
  return across < along ? kernels::ItemAxis::outer : kernels::ItemAxis::folded;
}

}  // namespace

kernels::Schedule choose_schedule(const kernels::Kernel& kernel) {
  kernels::Schedule schedule;
  schedule.items = item_axis(kernel);
  schedule.group = contraction_tile(kernel);
  schedule.interior_rows = interior_rows(kernel);
  return schedule;
}

std::string describe(const kernels::Schedule& schedule, const kernels::Kernel& kernel) {
  if (kernels::has_row_reductions(kernel)) return "rows, each folded by items of one group";
  if (schedule.interior_rows > 0)
    return fmt::format("{} rows of the interior an item", schedule.interior_rows);
  const kernels::GroupTile& tile = schedule.group;
  if (tile.high > 0) {
    const std::string shared =
        tile.steps > 0 ? fmt::format(", {} steps at a time in local memory", tile.steps) : "";
    return fmt::format("groups of {} x {} results{}", tile.rows(), tile.columns(), shared);
  }
  if (kernel.skeleton != kernels::Skeleton::fold || kernel.rank < 2) return {};
  return schedule.items == kernels::ItemAxis::outer ? "items across the folded axis"
                                                    : "items along the folded axis";
}

}  // namespace hasten::backends::c_like
