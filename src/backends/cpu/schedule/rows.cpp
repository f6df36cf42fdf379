// Which lanes have rows, or runs of a row, of their own.
#include "backends/cpu/schedule/rows.hpp"

#include "backends/cpu/emit/rows/private_rows.hpp"
#include "backends/cpu/frame.hpp"
#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"
#include "kernels/analysis/strides.hpp"
#include "kernels/stages.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace hasten::backends::cpu {

using namespace core;

namespace {

// Whether lanes with rows of their own need no gather that lanes along rows would not need; with an
// interior, in which these need fewer: no gather at all.
bool is_fit_for_own_rows(const Region& element, const std::set<const LoadLinear*>& of_rows,
                         const HoistingLevels& places, const HoistingLevels& along,
                         bool has_interior = false) {
  bool fit = true;
  const auto look = [&](auto& self, const Region& region) -> void {
    for (const Stmt& stmt : region.body) {
      const auto* load = std::get_if<LoadLinear>(&stmt.op);
      fit &= !load || of_rows.contains(load) || places[load->index].spread != Spread::varying ||
             (!has_interior && along[load->index].spread == Spread::varying);
      fit &= !std::holds_alternative<Reduce>(stmt.op) && !std::holds_alternative<While>(stmt.op);
      visit_regions(stmt, [&](const Region& inner) { self(self, inner); });
    }
  };
  look(look, element);
  return fit;
}

bool reads_memory(const Region& region) {
  return std::ranges::any_of(region.body, [](const Stmt& stmt) {
    bool some = std::holds_alternative<LoadLinear>(stmt.op);
    visit_regions(stmt, [&](const Region& inner) { some |= reads_memory(inner); });
    return some;
  });
}

// Longer rows fill registers along the row.
std::int64_t length_of_short_rows(const kernels::Kernel& across, const HoistingLevels& places) {
  std::size_t bytes = 1;
  for (const LoadLinear* read : reads_of_rows(across, places))
    bytes = std::max(bytes, detail::size_in_bytes(across.inputs[read->array]));
  return std::min(short_row_elements, short_row_bytes / static_cast<std::int64_t>(bytes));
}

// Each column of a row has code of its own, which takes time to compile.
constexpr std::size_t written_out_max = 100;

bool is_written_out(const kernels::Kernel& kernel) {
  return kernel.element.body.size() <= written_out_max &&
         std::ranges::none_of(kernel.outputs, detail::is_complex) &&
         !kernels::has_reductions(kernel.element);
}

// For rows whose number of elements is known, by lanes along the axis.
void choose_for_rows(kernels::Schedule& schedule, const kernels::Kernel& kernel, unsigned lanes,
                     std::size_t axis) {
  if (!is_written_out(kernel)) return;
  schedule.lanes_of_rows = lanes;
  schedule.row_scalars = kernels::stride_scalars(kernel, axis);
}

bool gathers(const Region& region, const HoistingLevels& places) {
  return std::ranges::any_of(region.body, [&](const Stmt& stmt) {
    const auto* load = std::get_if<LoadLinear>(&stmt.op);
    bool some = load && places[load->index].spread == Spread::varying;
    visit_regions(stmt, [&](const Region& inner) { some |= gathers(inner, places); });
    return some;
  });
}

// For a scan whose operator needs an order: tiles side by side. Two registers per value hide that
// each step waits for the one before it.
void choose_for_runs(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                     const HoistingLevels& along, std::size_t widest, const Machine& machine) {
  if (kernel.skeleton != kernels::Skeleton::scan || kernel.in_order ||
      reads_memory(kernel.epilogue))
    return;
  HoistingLevels places(kernel, true);
  places.add(kernel.element, places_of_runs(kernel));
  const RowReads rows =
      find_row_reads(places, kernel.element, kernel.element.params.back(), RowLoopOf::element);
  const std::set<const LoadLinear*> of_rows(rows.reads.begin(), rows.reads.end());
  if (is_fit_for_own_rows(kernel.element, of_rows, places, along))
    schedule.lanes = 2 * machine.lanes(std::max<std::size_t>(widest, 4));
}

// By value: whether it depends on the row.
std::vector<bool> values_of_row(const kernels::Kernel& kernel) {
  std::vector<bool> of_row(kernel.value_types.size());
  of_row[kernel.element.params[0]] = true;
  for (const Stmt& stmt : kernel.element.body) {
    bool depends = false;
    for_each_use(stmt, [&](Value v) { depends = depends || of_row[v]; }, [](ArrayId) {});
    for (const Value v : stmt.results) of_row[v] = depends;
  }
  return of_row;
}

struct ValuesOfRow {
  std::size_t of_all_elements;  // the same for all elements of the row
  std::size_t waiting;          // the most values of an element that are computed and not yet used
};

ValuesOfRow count_values_of_row(const kernels::Kernel& kernel, const HoistingLevels& along) {
  const std::vector<bool> of_row = values_of_row(kernel);
  const auto is_waiting = [&](Value v) { return of_row[v] && along[v].spread == Spread::varying; };
  std::set<Value> waiting, of_whole_row;
  for (const Value v : kernel.element.results)
    if (is_waiting(v)) waiting.insert(v);
  std::size_t most = waiting.size();
  for (auto stmt = kernel.element.body.rbegin(); stmt != kernel.element.body.rend(); ++stmt) {
    const bool varies = is_waiting(stmt->results[0]);
    for (const Value v : stmt->results) waiting.erase(v);
    for_each_use(
        *stmt,
        [&](Value v) {
          if (is_waiting(v)) waiting.insert(v);
          if (varies && of_row[v] && along[v].spread == Spread::uniform) of_whole_row.insert(v);
        },
        [](ArrayId) {});
    most = std::max(most, waiting.size());
  }
  return {of_whole_row.size(), most};
}

}  // namespace

// Rows that spill registers are slower than fewer rows; two that spill are as fast as one.
unsigned rows_of_group(const kernels::Kernel& kernel, const HoistingLevels& along,
                       unsigned registers, const Machine& machine) {
  constexpr unsigned rows_max = 4;
  const bool has_many = machine.bits == 512;  // chains of all rows run side by side
  const std::size_t all = has_many ? 32 : 16, sums = kernel.combine.params.size() / 2;
  if (2 * rows_max * sums > all) return 1;  // half of the registers are for other values
  const ValuesOfRow values = count_values_of_row(kernel, along);
  const std::size_t waiting = has_many ? rows_max * values.waiting : values.waiting;
  const std::size_t needed =
      rows_max * values.of_all_elements + registers * (rows_max * sums + waiting);
  return needed <= all ? rows_max : rows_max / 2;
}

bool has_lanes_across(const kernels::Kernel& kernel) {
  return accumulates(kernel) && kernel.lanes == kernels::FoldLanes::outer;
}

std::set<const LoadLinear*> reads_of_rows(const kernels::Kernel& kernel,
                                          const HoistingLevels& places) {
  std::set<const LoadLinear*> all;
  if (!has_lanes_across(kernel)) return all;
  const auto add = [&](const Region& body, Value step, RowLoopOf kind) {
    const RowReads found = find_row_reads(places, body, step, kind);
    all.insert(found.reads.begin(), found.reads.end());
  };
  add(kernel.element, kernel.element.params.back(), RowLoopOf::element);
  for (const Stmt& stmt : kernel.element.body)
    if (const auto* reduce = std::get_if<Reduce>(&stmt.op))
      if (places[stmt.results[0]].level > lane_level)
        add(reduce->element, reduce->element.params[0], RowLoopOf::reduction);
  return all;
}

std::vector<Place> places_of_runs(const kernels::Kernel& kernel) {
  std::vector<Place> places(kernel.rank, Place{1, Spread::uniform});
  places.back() = {lane_level + 1, Spread::varying};
  return places;
}

namespace {

// Of several folded axes the last one is often short, as in a convolution.
void choose_for_short_axes(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                           const Machine& machine) {
  const std::uint32_t outer = kernels::outer_axes(kernel);
  if (kernel.skeleton != kernels::Skeleton::fold || kernel.folded == 1 || kernel.stored > 0 ||
      outer == 0 ||
      kernels::read_cost(kernel, outer - 1) > kernels::read_cost(kernel, kernel.rank - 1))
    return;
  kernels::Kernel across = kernel;
  across.lanes = kernels::FoldLanes::outer;
  across.interior.reset();
  schedule.lanes_across = choose_schedule(across, machine).lanes;
  schedule.short_row = schedule.lanes_across;
}

}  // namespace

void choose_for_short_rows(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                           const HoistingLevels& along, const Machine& machine) {
  if (!accumulates(kernel) || kernel.range || kernel.rank < 2) return;
  if (kernel.folded > 1) return choose_for_short_axes(schedule, kernel, machine);
  // Lanes would not read in the order of results.
  if (kernel.skeleton == kernels::Skeleton::scan && reads_memory(kernel.epilogue)) return;
  kernels::Kernel across = kernel;
  across.lanes = kernels::FoldLanes::outer;
  across.interior.reset();
  HoistingLevels places(across, true);
  places.add(across.element, element_places(across, true));
  if (!is_fit_for_own_rows(across.element, reads_of_rows(across, places), places, along,
                           kernel.interior.has_value()))
    return;
  schedule.lanes_across = choose_schedule(across, machine).lanes;
  const bool goes_one_by_one = schedule.in_order && kernel.skeleton == kernels::Skeleton::scan;
  schedule.short_row = goes_one_by_one ? tile_elements : length_of_short_rows(across, places);
  if (kernel.skeleton == kernels::Skeleton::fold && !kernel.interior)
    choose_for_rows(schedule, kernel, schedule.lanes_across, kernel.rank - std::size_t{2});
}

namespace {

// Whether elements are computed without loops, and stored as they are.
bool is_plain(const kernels::Kernel& kernel) {
  return std::ranges::none_of(kernel.outputs, detail::is_complex) &&
         std::ranges::none_of(kernel.element.body, [](const Stmt& stmt) {
           return std::holds_alternative<While>(stmt.op) || std::holds_alternative<Reduce>(stmt.op);
         });
}

// Whether memory has more to do than lanes, of which rows shorter than a register leave some off.
bool is_light(const kernels::Kernel& kernel) {
  constexpr std::size_t statements_max = 6;
  return kernel.combine.results.size() == 1 && kernel.element.body.size() <= statements_max &&
         std::ranges::none_of(kernel.element.body,
                              [](const Stmt& stmt) {
                                const auto* prim = std::get_if<Prim>(&stmt.op);
                                return prim && row(prim->op).expensive;
                              }) &&
         std::ranges::all_of(kernel.inputs,
                             [](ScalarType type) { return detail::size_in_bytes(type) >= 4; });
}

}  // namespace

void choose_for_joined_rows(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                            std::size_t widest, const Machine& machine) {
  const bool may_have = kernel.skeleton == kernels::Skeleton::fold && kernel.rank > 1 &&
                        kernel.folded == 1 && !kernel.range && !kernel.interior &&
                        kernel.stored == 0 && !schedule.in_order;
  const unsigned lanes = machine.lanes(std::max<std::size_t>(widest, 4));
  if (!may_have || !is_plain(kernel) || lanes == 1) return;
  schedule.lanes_joined = lanes;
  schedule.joined_below = joined_row_elements;
  if (is_light(kernel)) schedule.short_row = std::min(schedule.short_row, light_joined_min);
}

void choose_in_order(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                     const HoistingLevels& along, std::size_t widest, const Machine& machine) {
  // Lanes of a fold have runs of their own, whose elements they gather; stores beside it would be
  // scattered.
  const bool has_runs = kernel.skeleton == kernels::Skeleton::fold && !kernel.range &&
                        kernel.stored == 0 && !kernel.in_order;
  if (kernel.in_order || kernel.skeleton == kernels::Skeleton::scan)
    choose_for_short_rows(schedule, kernel, along, machine);
  choose_for_runs(schedule, kernel, along, widest, machine);
  if (has_runs) schedule.lanes = 2 * machine.lanes(std::max<std::size_t>(widest, 4));
  choose_for_few_results(schedule, kernel, widest, machine);
  schedule.nanoseconds *= schedule.lanes > 1 ? 2 : 8;
}

namespace {

// What each result reads for itself is transposed for each result with lanes across: from this many
// elements on, lanes along them are faster.
constexpr std::int64_t own_depth_max = 9;

// Whether some read differs from result to result and from lane to lane.
bool has_rows_of_results(const kernels::Kernel& kernel) {
  const auto by_lane = kernels::read_strides(kernel, kernel.element, kernel.rank - std::size_t{3});
  const auto by_result =
      kernels::read_strides(kernel, kernel.element, kernel.rank - std::size_t{2});
  for (std::size_t i = 0; i < by_lane.size(); ++i)
    if (by_lane[i] != kernels::Stride::zero && by_result[i] != kernels::Stride::zero) return true;
  return false;
}

}  // namespace

void choose_for_known_numbers(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                              unsigned register_lanes) {
  if (kernel.skeleton != kernels::Skeleton::map || schedule.lanes == 1 || kernel.collapsible ||
      schedule.tile_rows > 1 || schedule.kept_elements > 0 || !is_written_out(kernel))
    return;
  schedule.apart_scalars = kernels::stride_scalars(kernel, kernel.rank - std::size_t{1});
  if (kernel.rank > 1 && register_lanes > 1 && schedule.window_rows == 0 && is_plain(kernel) &&
      std::ranges::none_of(kernel.inputs, detail::is_complex))
    choose_for_rows(schedule, kernel, register_lanes, kernel.rank - std::size_t{2});
}

void choose_for_few_results(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                            std::size_t widest, const Machine& machine) {
  const bool may_have_few = kernel.skeleton == kernels::Skeleton::fold && kernel.rank >= 3 &&
                            kernel.folded == 1 && !kernel.range && !kernel.interior &&
                            kernel.stored == 0;
  if (!may_have_few || !is_plain(kernel)) return;
  const unsigned lanes = machine.lanes(std::max<std::size_t>(widest, 4));
  if (lanes == 1) return;
  schedule.lanes_outside = 2 * lanes;
  schedule.outside_depth = has_rows_of_results(kernel) ? own_depth_max : short_row_elements;
  if (is_written_out(kernel))
    schedule.apart_scalars = kernels::stride_scalars(kernel, kernel.rank - std::size_t{3});
}

void choose_for_few_columns(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                            std::size_t widest, const Machine& machine) {
  if (!has_column_parts(kernel) || !kernel.lane_operator.commutative || !is_plain(kernel)) return;
  const unsigned lanes = machine.lanes(std::max<std::size_t>(widest, 4));
  if (lanes == 1) return;
  schedule.lanes_down = lanes;
  choose_for_rows(schedule, kernel, lanes, kernel.rank - std::size_t{1});
  // A line of columns fills vectors across.
  schedule.few_columns =
      std::min(few_columns_max, 64 / static_cast<std::int64_t>(std::max<std::size_t>(widest, 1)));
}

void choose_for_narrow_columns(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                               unsigned register_lanes) {
  if (kernel.skeleton == kernels::Skeleton::fold && kernel.lanes == kernels::FoldLanes::outer &&
      kernel.folded == 1 && !kernel.range && !kernel.interior && register_lanes > 1 &&
      schedule.lanes > register_lanes)
    schedule.lanes_along = register_lanes;
}

void choose_for_segments(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                         const HoistingLevels& places, const Machine& machine,
                         unsigned register_lanes) {
  if (!kernel.range || schedule.lanes == 1) return;
  const bool has_masks = machine.has_mask_registers();
  schedule.lanes = std::min(schedule.lanes, (has_masks ? 1 : 2) * register_lanes);
  if (has_masks || kernel.skeleton != kernels::Skeleton::fold) return;
  const bool in_order = gathers(kernel.element, places);
  schedule.short_row = in_order ? 32 : 128;
  schedule.lanes_along = in_order ? 1 : register_lanes;
}

}  // namespace hasten::backends::cpu
