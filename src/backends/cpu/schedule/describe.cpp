// The words of explain() for a schedule.
#include "backends/cpu/contraction.hpp"
#include "backends/cpu/forms.hpp"
#include "backends/cpu/schedule/schedule.hpp"

#include <fmt/format.h>

#include <string>

namespace hasten::backends::cpu {

namespace {

std::string describe_loops(const kernels::Schedule& schedule) {
  std::string loops;
  for (const unsigned lanes : schedule.loop_lanes)
    loops += (loops.empty() ? "" : ", ") + std::to_string(lanes);
  return "loops of " + loops + " lanes";
}

// Of a map's lanes.
std::string describe_arrangement(const kernels::Schedule& schedule) {
  std::string text;
  if (schedule.lane_step > 1)
    text += fmt::format(", {} elements apart, with as many neighbours each", schedule.lane_step);
  if (schedule.turned_rows > 0)
    text += fmt::format(", tiles of {} rows turned in registers", schedule.turned_rows);
  if (schedule.tile_rows > 1)
    text += fmt::format(" in {} rows of {}", schedule.tile_rows,
                        schedule.lanes / static_cast<unsigned>(schedule.tile_rows));
  return text;
}

// Of rows, columns and blocks that do not fill the usual vectors.
std::string describe_short_rows(const kernels::Schedule& schedule, const kernels::Kernel& kernel) {
  std::string text;
  if (schedule.lanes_along > 0 && accumulates(kernel))
    text += fmt::format(", columns left over by fewer, {} at least", schedule.lanes_along);
  else if (schedule.lanes_along > 0)
    text += fmt::format(", rows of fewer than {} elements by {}", schedule.short_row,
                        schedule.lanes_along);
  if (schedule.lanes_across > 0)
    text += kernel.skeleton != kernels::Skeleton::map || schedule.lanes_along == 0
                ? fmt::format(", {} lanes across short rows", schedule.lanes_across)
                : fmt::format(", fewer than {} by {} lanes across", schedule.across_below,
                              schedule.lanes_across);
  if (schedule.lanes_joined > 0 && kernel.skeleton == kernels::Skeleton::scan)
    text += fmt::format(", rows of fewer than {} elements by {}", schedule.joined_below,
                        schedule.lanes_joined);
  else if (schedule.lanes_joined > 0)
    text += fmt::format(", rows of fewer than {} elements joined in groups of {}",
                        schedule.joined_below, schedule.lanes_joined);
  if (schedule.lanes_outside > 0) {
    const bool is_map = kernel.skeleton == kernels::Skeleton::map;
    text += fmt::format(", {} by {} lanes across the axis before",
                        is_map                                    ? "small blocks"
                        : has_blocks_of_results(kernel, schedule) ? "few results and small blocks"
                                                                  : "few results",
                        schedule.lanes_outside);
  }
  if (schedule.lanes_down > 0)
    text += fmt::format(", few long columns by {} lanes down these", schedule.lanes_down);
  if (!schedule.apart_scalars.empty())
    text += kernel.skeleton == kernels::Skeleton::map
                ? ", reads 2 to 4 elements apart taken apart"
                : ", 2 to 4 results of as many elements in registers";
  if (schedule.lanes_of_rows > 0 && kernel.skeleton == kernels::Skeleton::scatter)
    text += ", rows of 2 to 4 elements written out";
  else if (schedule.lanes_of_rows > 0)
    text += fmt::format(", rows of {} to 4 elements by {} lanes across in registers",
                        kernel.skeleton == kernels::Skeleton::map ? 1 : 2, schedule.lanes_of_rows);
  return text;
}

}  // namespace

std::string describe(const kernels::Schedule& schedule, const kernels::Kernel& kernel) {
  if (!kernel.loops.empty()) return describe_loops(schedule);
  std::string text = "element by element";
  if (schedule.lanes > 1) text = fmt::format("{} lanes", schedule.lanes);
  text += describe_arrangement(schedule);
  if (schedule.in_order)
    text = schedule.lanes == 1 ? "element by element, in order"
                               : fmt::format("{} lanes, each a run in order,", schedule.lanes);
  if (accumulates(kernel) && schedule.lanes > 1)
    text += kernel.lanes == kernels::FoldLanes::outer ? " across" : " along the folded axis";
  if (schedule.rows_together > 1) text += fmt::format(", {} rows together", schedule.rows_together);
  if (kernel.range && schedule.short_row > 0)
    text += schedule.lanes_along == 1
                ? fmt::format(", segments of fewer than {} elements in order", schedule.short_row)
                : fmt::format(", by {} if segments have fewer than {} elements on average",
                              schedule.lanes_along, schedule.short_row);
  text += describe_short_rows(schedule, kernel);
  const kernels::PackedTile& tile = schedule.packed;
  if (tile.rows > 0)
    text += fmt::format(", tiles of {} x {} results from panels where these pay", tile.rows,
                        tile.lanes);
  if (tile.has_light_sides)
    text += fmt::format(", of {} rows without panels where few rows or columns share them",
                        direct_rows);
  if (schedule.still_row)
    text +=
        fmt::format(", what all rows share kept in a row of {} columns", schedule.window_columns);
  if (schedule.window_rows > 0 && !schedule.still_row)
    text += fmt::format(", what neighbours share kept in a window of {} row{} of {} columns",
                        schedule.window_rows, schedule.window_rows > 1 ? "s" : "",
                        schedule.window_columns);
  if (schedule.neighbour_lanes > 0)
    text += fmt::format(", rows of neighbours by {} lanes", schedule.neighbour_lanes);
  if (schedule.part_lanes > 0)
    text += fmt::format(", parts of the outputs by {} lanes", schedule.part_lanes);
  if (schedule.few_lanes > 0)
    text += fmt::format(", up to {} targets in registers of {} lanes", schedule.few_targets,
                        schedule.few_lanes);
  if (schedule.kept_elements > 0)
    text += ", what a fold of a row computes kept for the row's elements";
  if (kernel.interior) text += ", borders peeled";
  return text;
}

}  // namespace hasten::backends::cpu
