// Each choice excludes those after it.
#include "backends/cpu/schedule/maps.hpp"

#include "backends/cpu/emit/rows/turned_map.hpp"
#include "backends/cpu/schedule/rows.hpp"
#include "backends/cpu/schedule/schedule.hpp"
#include "kernels/analysis/foreign_functions.hpp"
#include "kernels/analysis/indices/index_period.hpp"
#include "kernels/analysis/stages/kept_elements.hpp"
#include "kernels/analysis/strides.hpp"
#include "kernels/stages.hpp"

#include "core/traverse.hpp"

#include <algorithm>

namespace hasten::backends::cpu {

using namespace core;

namespace {

// Whether each read is the same for all elements, or at arbitrary places: tiles would gather what
// neighbours in a row read, and what is read for a row.
bool reads_apart(const Region& region, const HoistingLevels& places) {
  return std::ranges::all_of(region.body, [&](const Stmt& stmt) {
    if (std::holds_alternative<Reduce>(stmt.op)) return false;
    const auto* load = std::get_if<LoadLinear>(&stmt.op);
    if (load && places[load->index].level > 0 && places[load->index].spread != Spread::varying)
      return false;
    bool apart = true;
    visit_regions(stmt, [&](const Region& inner) { apart = apart && reads_apart(inner, places); });
    return apart;
  });
}

// The registers of a value are rows below each other where lanes leave loops at different times.
void choose_tile(kernels::Schedule& schedule, const kernels::Kernel& kernel, const Census& census,
                 const HoistingLevels& places, unsigned registers) {
  constexpr unsigned registers_min = 4;  // two are no better than a row of both
  const bool is_tiled = kernel.skeleton == kernels::Skeleton::map && kernel.rank > 1 &&
                        !kernel.interior && census.diverges && registers >= registers_min &&
                        schedule.lanes % registers == 0 &&
                        std::ranges::none_of(kernel.outputs, detail::is_complex) &&
                        reads_apart(kernel.element, places);
  if (is_tiled) schedule.tile_rows = registers;
}

// Nanoseconds for one lane of a store, or a load, of a vector whose lanes are rows apart.
constexpr double apart_nanoseconds = 0.25;
constexpr double short_row_usual = 4;    // elements
constexpr double row_nanoseconds = 0.4;  // beside its vectors, for each of these elements
// Rows of fewer registers are short where masked stores cost no more than others: what vectors cost
// beside their elements would show.
constexpr unsigned short_row_registers = 4;
// A map that first folds its rows leaves lanes off in each of several loops over a row, and
// combines the lanes of each loop, unless lanes go across rows: longer rows are worth that.
constexpr std::int64_t folded_row_registers = 3;
// For the last two axes, where a lane has both: the elements that a lane reads and writes stay in
// the first-level cache.
constexpr std::int64_t block_elements_max = 64;

double reads_apart_along(const kernels::Kernel& kernel, std::size_t axis) {
  return static_cast<double>(std::ranges::count(kernels::read_strides(kernel, kernel.element, axis),
                                                kernels::Stride::other));
}

// Whether something is read that lies along memory from row to row, and not along rows.
bool reads_down(const kernels::Kernel& kernel) {
  const Region& element = usual_element(kernel);
  const auto along = kernels::read_strides(kernel, element, kernel.rank - std::size_t{1});
  const auto down = kernels::read_strides(kernel, element, kernel.rank - std::size_t{2});
  for (std::size_t i = 0; i < along.size(); ++i)
    if (along[i] == kernels::Stride::other && down[i] != kernels::Stride::other) return true;
  return false;
}

// Along rows, a register of elements costs little more than a few of them do across: that many, if
// masks make registers short, and more where lanes that are off cost something, as in functions
// that are called, and in gathers.
std::int64_t columns_across(const kernels::Kernel& kernel, const Census& census, bool has_masks,
                            std::int64_t lanes) {
  constexpr std::int64_t few = 5, many_lanes = 8;
  if (!has_masks || census.heavy || reads_down(kernel)) return lanes;
  return census.chains ? lanes / 2 : std::max(few, lanes / many_lanes);
}

// For a map whose last two axes cannot be run as one with the axes before.
void choose_for_small_blocks(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                             const Census& census, const Machine& machine) {
  const unsigned lanes = machine.lanes(std::max<std::size_t>(census.widest, 1));
  const bool has_some = kernel.skeleton == kernels::Skeleton::map && kernel.rank > 2 &&
                        schedule.lanes > 1 && lanes > 1 && !kernel.collapsible &&
                        !census.diverges && !kernels::has_reductions(kernel.element) &&
                        std::ranges::none_of(kernel.outputs, detail::is_complex);
  if (!has_some) return;
  schedule.lanes_outside = 2 * lanes;
  schedule.outside_depth = block_elements_max;
}

// For a map that cannot be run as one long row. Rows shorter than its vectors use single registers.
// Rows shorter than a register leave lanes off, and non-contiguous reads are gathered; across rows
// each element is stored by itself, and other reads are non-contiguous.
void choose_for_short_rows_of_maps(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                                   const Census& census, bool has_still_row,
                                   const Machine& machine) {
  choose_for_small_blocks(schedule, kernel, census, machine);
  const bool has_some = kernel.skeleton == kernels::Skeleton::map && kernel.rank > 1 &&
                        schedule.lanes > 1 && schedule.tile_rows == 0 &&
                        schedule.window_rows == 0 && !kernel.collapsible && !census.diverges &&
                        std::ranges::none_of(kernel.outputs, detail::is_complex);
  if (!has_some) return;
  const unsigned lanes = machine.lanes(std::max<std::size_t>(census.widest, 1));
  if (kernels::has_reductions(kernel.element)) {
    // Along rows, each row would be folded by a vector of its own.
    if (kernels::has_row_reductions(kernel) && lanes > 1) {
      schedule.lanes_across = lanes;
      schedule.short_row = folded_row_registers * lanes;
      schedule.across_below = schedule.short_row;
    }
    return;
  }
  const bool goes_far = machine.has_mask_registers() && !has_still_row;
  const std::int64_t short_row = goes_far ? short_row_registers * lanes : schedule.lanes;
  if (lanes > 1 && lanes < short_row) {
    schedule.lanes_along = lanes;
    schedule.short_row = short_row;
  }
  const auto outputs = static_cast<double>(kernel.outputs.size());
  const double along = census.nanoseconds * lanes / short_row_usual + row_nanoseconds;
  const double across =
      census.nanoseconds +
      apart_nanoseconds * (outputs + reads_apart_along(kernel, kernel.rank - std::size_t{2}));
  if (across < along && lanes > 1) {
    schedule.lanes_across = lanes;
    schedule.across_below =
        columns_across(kernel, census, machine.has_mask_registers() && schedule.lanes_along > 0,
                       schedule.lanes_across);
  }
}

// The stack memory of a window: the window and its inputs stay in a second-level cache.
constexpr std::int64_t window_bytes = 1 << 16;
constexpr std::int64_t window_column_unit = 64;

void choose_window(kernels::Schedule& schedule, const kernels::SlidingWindow& window,
                   const kernels::Kernel& kernel) {
  const auto bytes = static_cast<std::int64_t>(
      detail::size_in_bytes(kernel.value_types[window.producer.results[0]]));
  schedule.window_rows = window.rows;
  schedule.still_row = window.is_still;
  schedule.window_columns =
      window_bytes / (window.rows * bytes) / window_column_unit * window_column_unit;
}

// The code of an element is emitted once for each neighbour, one register each: that of small
// elements alone.
constexpr unsigned neighbour_statements_max = 256;

void choose_lane_step(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                      const Census& census, const Machine& machine) {
  const bool may_have = kernel.skeleton == kernels::Skeleton::map && schedule.tile_rows == 0 &&
                        schedule.window_rows == 0 && schedule.kept_elements == 0 && !census.loops &&
                        !kernels::has_reductions(kernel.element) &&
                        std::ranges::none_of(kernel.outputs, detail::is_complex) &&
                        kernels::foreign_functions(kernel).empty();
  const unsigned lanes = machine.lanes(std::max<std::size_t>(census.widest, 1));
  if (!may_have || lanes == 1 || schedule.lanes == 1) return;
  const std::int64_t step =
      kernels::index_period(kernel, usual_element(kernel), kernel.rank - std::size_t{1});
  if (step == 1 || step * census.statements > neighbour_statements_max) return;
  schedule.lane_step = step;
  schedule.lanes = lanes;
}

// A tile's rows fill some lines of each lane's.
constexpr std::int64_t turned_rows = 128;

void choose_turned(kernels::Schedule& schedule, const kernels::Kernel& kernel, const Census& census,
                   const Machine& machine) {
  const bool may_have = kernel.skeleton == kernels::Skeleton::map && kernel.rank > 1 &&
                        !kernel.interior && schedule.tile_rows == 0 && schedule.window_rows == 0 &&
                        schedule.kept_elements == 0 && schedule.lane_step == 1 &&
                        !kernels::has_reductions(kernel.element) &&
                        kernels::foreign_functions(kernel).empty();
  const unsigned lanes = machine.lanes(std::max<std::size_t>(census.widest, 1));
  if (!may_have || lanes == 1 || schedule.lanes == 1 || !turned_axis(kernel)) return;
  schedule.turned_rows = turned_rows;
  schedule.lanes = lanes;
  schedule.lanes_along = 0;
  schedule.short_row = 0;
}

}  // namespace

void choose_for_maps(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                     const Census& census, const HoistingLevels& places,
                     const std::optional<kernels::SlidingWindow>& window, unsigned registers,
                     const Machine& machine) {
  const bool is_still = window && window->is_still;
  if (window && !is_still && schedule.lanes > 1) choose_window(schedule, *window, kernel);
  if (const auto again = kernels::find_kept_elements(kernel); again && schedule.lanes > 1)
    schedule.kept_elements = static_cast<unsigned>(again->kept.size());
  if (!window && schedule.kept_elements == 0)
    choose_tile(schedule, kernel, census, places, registers);
  choose_for_short_rows_of_maps(schedule, kernel, census, is_still, machine);
  choose_for_known_numbers(schedule, kernel,
                           machine.lanes(std::max<std::size_t>(census.widest, 1)));
  if (is_still && schedule.lanes > 1 && schedule.kept_elements == 0)
    choose_window(schedule, *window, kernel);
  choose_lane_step(schedule, kernel, census, machine);
  choose_turned(schedule, kernel, census, machine);
}

}  // namespace hasten::backends::cpu
