// Chooses by the work that is counted per lane, kernel by kernel.
#include "backends/cpu/schedule/schedule.hpp"

#include "backends/cpu/contraction.hpp"
#include "backends/cpu/emit/rows/private_rows.hpp"
#include "backends/cpu/emit/scatter/few_targets.hpp"
#include "backends/cpu/ops/ops.hpp"
#include "backends/cpu/schedule/census.hpp"
#include "backends/cpu/schedule/maps.hpp"
#include "backends/cpu/schedule/rows.hpp"
#include "kernels/analysis/sliding_window.hpp"
#include "kernels/analysis/strides.hpp"

#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"

#include <algorithm>
#include <set>

namespace hasten::backends::cpu {
namespace {

using namespace core;

constexpr unsigned lanes_max = 64;

// Several registers per value hide latencies, above all those of a fold's operator and of
// polynomials, for which no processor looks far enough ahead by itself. Loops gain most, since each
// round waits for the one before, although more lanes wait for the slowest; what passes from round
// to round should stay in registers, though, of which machines without the widest vectors have 16.
constexpr unsigned scan_registers_min = 4;

unsigned registers_per_value(const Census& census, const Machine& machine) {
  if (census.chains && !census.heavy && census.statements <= 128) return 4;
  if (census.heavy || census.statements > 48) return 1;
  const unsigned light = !census.loops           ? 16
                         : machine.bits == 512   ? 32
                         : census.goes_by_blocks ? 24
                                                 : 6;
  return census.statements > light ? 2 : 4;
}

// Loops whose lanes leave at different times and each walk along memory of their own, as in
// segmented folds and searches: state i, next state i + 1 or i - 1, reads at i or at indices that
// move with i. Vectors would gather what a scalar finds in its current cache line, and a long walk
// would leave most lanes idle. Lanes that walk together read neighbours; that pays from 16 lanes
// on.
class Walks {
 public:
  Walks(const HoistingLevels& places, const Machine& machine)
      : places_(places),
        may_walk_together_(machine.lanes(4) >= 16) {}

  bool found_in(const Region& region) {
    return std::any_of(region.body.begin(), region.body.end(),
                       [&](const Stmt& stmt) { return found_in(stmt); });
  }

 private:
  bool found_in(const Stmt& stmt) {
    const auto* constant = std::get_if<Constant>(&stmt.op);
    if (constant && (constant->bits.lo == 1 || constant->bits.lo == ~std::uint64_t{0}))
      ones_.insert(stmt.results[0]);
    const auto* loop = std::get_if<While>(&stmt.op);
    return loop && places_.varying(loop->condition.results[0]) && walks(loop->body);
  }

  bool walks(const Region& body) const {
    std::set<Value> moving = walkers(body), other(body.params.begin(), body.params.end());
    for (const Stmt& stmt : body.body) {
      const auto* load = std::get_if<LoadLinear>(&stmt.op);
      if (load && moving.contains(load->index) && !is_together(load->index)) return true;
      const auto* prim = std::get_if<Prim>(&stmt.op);
      if (prim && moves(*prim, moving, other))
        moving.insert(stmt.results[0]);
      else
        other.insert(stmt.results.begin(), stmt.results.end());
    }
    return false;
  }

  [[nodiscard]] bool is_together(Value index) const {
    return may_walk_together_ && places_[index].spread != Spread::varying;
  }

  // States that advance by one.
  [[nodiscard]] std::set<Value> walkers(const Region& body) const {
    std::set<Value> found;
    for (const Stmt& stmt : body.body) {
      const auto* prim = std::get_if<Prim>(&stmt.op);
      if (!prim || (prim->op != ScalarOp::add && prim->op != ScalarOp::sub)) continue;
      for (std::size_t state = 0; state < body.params.size(); ++state) {
        const bool left = prim->args[0] == body.params[state];
        const bool right = prim->args[1] == body.params[state] && prim->op == ScalarOp::add;
        if ((left || right) && body.results[state] == stmt.results[0] &&
            ones_.contains(prim->args[left ? 1 : 0]))
          found.insert(body.params[state]);
      }
    }
    return found;
  }

  // One operand moves, and others are the same in every round.
  static bool moves(const Prim& prim, const std::set<Value>& moving, const std::set<Value>& other) {
    const bool keeps_steps = prim.op == ScalarOp::add || prim.op == ScalarOp::sub ||
                             prim.op == ScalarOp::min || prim.op == ScalarOp::max ||
                             prim.op == ScalarOp::cast;
    const auto is_moving = [&](Value v) { return moving.contains(v); };
    return keeps_steps && std::ranges::any_of(prim.args, is_moving) &&
           std::ranges::none_of(prim.args,
                                [&](Value v) { return other.contains(v) && !is_moving(v); });
  }

  const HoistingLevels& places_;
  bool may_walk_together_;
  std::set<Value> ones_;  // 1 and -1
};

// Nested conditions are nested masks: lanes gather under each of them, and are mostly off in the
// inner ones. Scalar code takes only one path.
constexpr int nest_max = 12;

bool reads_below(const Region& region, int levels) {
  return std::ranges::any_of(region.body, [&](const Stmt& stmt) {
    if (std::holds_alternative<LoadLinear>(stmt.op)) return levels < 0;
    const int inner = levels - (std::holds_alternative<If>(stmt.op) ? 1 : 0);
    bool found = false;
    visit_regions(stmt, [&](const Region& part) { found = found || reads_below(part, inner); });
    return found;
  });
}

// Scalar code is also better for many conditions, for which vectors have four times as much code:
// compiling it takes longer than running it.
constexpr int branches_max = 1'500;

int branches_of(const Region& region) {
  int count = 0;
  for (const Stmt& stmt : region.body) {
    count += std::holds_alternative<If>(stmt.op) ? 1 : 0;
    visit_regions(stmt, [&](const Region& part) { count += branches_of(part); });
  }
  return count;
}

// Updates are made one by one in any case: if computing their places costs next to nothing, vectors
// would only be taken apart again.
constexpr std::size_t light_statements_max = 12;

// Whether `v` grows evenly from element to element, except for limits.
bool is_in_order(const std::vector<Stmt>& body, const HoistingLevels& places, Value v) {
  if (places[v].spread != Spread::varying) return true;
  const auto stmt =
      std::ranges::find_if(body, [&](const Stmt& candidate) { return candidate.results[0] == v; });
  const auto* prim = stmt != body.end() ? std::get_if<Prim>(&stmt->op) : nullptr;
  if (!prim) return false;
  const bool limits =
      prim->op == ScalarOp::min || prim->op == ScalarOp::max || prim->op == ScalarOp::cast;
  return limits &&
         std::ranges::all_of(prim->args, [&](Value arg) { return is_in_order(body, places, arg); });
}

bool updates_lightly(const kernels::Kernel& kernel, const HoistingLevels& places) {
  if (kernel.skeleton != kernels::Skeleton::scatter || kernel.unique) return false;
  const std::vector<Stmt>& body = kernel.element.body;
  const auto is_light = [&](const Stmt& stmt) {
    if (std::holds_alternative<Constant>(stmt.op)) return true;
    if (const auto* load = std::get_if<LoadLinear>(&stmt.op))
      return is_in_order(body, places, load->index);
    const auto* prim = std::get_if<Prim>(&stmt.op);
    return prim && !row(prim->op).expensive && !is_division(prim->op) &&
           std::ranges::all_of(prim->args, [&](Value v) {
             const ScalarType type = kernel.value_types[v];
             return detail::is_integral(type) || detail::is_bool(type);
           });
  };
  const auto of_elements = [&](const Stmt& stmt) {
    return places[stmt.results[0]].level >= lane_level;
  };
  return static_cast<std::size_t>(std::ranges::count_if(body, of_elements)) <=
             light_statements_max &&
         std::ranges::all_of(body, is_light);
}

void choose_for_updates(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                        std::size_t widest, const Machine& machine) {
  if (compresses(machine)) schedule.part_lanes = machine.lanes(sizeof(std::int64_t));
  const unsigned lanes = machine.lanes(std::max<std::size_t>(widest, 1));
  if (kernels::updates_neighbours(kernel) && lanes > 1) schedule.neighbour_lanes = lanes;
  if (kernel.rank > 1) schedule.lanes_of_rows = 1;
}

void choose_for_few_targets(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                            const Machine& machine) {
  if (kernel.skeleton != kernels::Skeleton::scatter) return;
  std::size_t widest = 1;
  for (const ScalarType type : kernel.inputs)
    widest = std::max(widest, detail::size_in_bytes(type));
  const FewTargetsShape shape = few_targets_of(kernel, widest, machine);
  schedule.few_lanes = shape.lanes;
  schedule.few_targets = shape.targets;
}

// Lanes with rows of their own: the more lanes, the more of them are off at the end of a launch.
// Few statements for each element do not hide the latency of what is turned. If each lane folds at
// every step, though, as in a search for the nearest of some centres, each addition waits for the
// one before it, and more registers hide that. Values wider than those added are used in between.
constexpr unsigned rows_registers_max = 2, reducing_registers = 4, light_row_statements_max = 4;

unsigned registers_of_rows(const Census& census, unsigned registers) {
  if (registers == 1) return 1;
  if (census.reduced == 0)
    return census.statements <= light_row_statements_max ? registers
                                                         : std::min(registers, rows_registers_max);
  // Integers that are added may be wider than anything that is read or stored.
  const std::size_t wanted = reducing_registers * census.widest / census.reduced;
  return static_cast<unsigned>(std::max<std::size_t>(1, wanted));
}

// Scans of less work wait for memory, which is read ahead in runs of a page and more.
constexpr double streamed_nanoseconds = 0.5;
constexpr std::size_t run_bytes = 4096;

void choose_for_strips(kernels::Schedule& schedule, const kernels::Kernel& kernel) {
  if (kernel.skeleton != kernels::Skeleton::scan || kernel.lanes != kernels::FoldLanes::outer ||
      schedule.nanoseconds > streamed_nanoseconds)
    return;
  std::size_t smallest = run_bytes;
  for (const ScalarType type : kernel.outputs)
    smallest = std::min(smallest, detail::size_in_bytes(type));
  schedule.strip_columns = static_cast<std::int64_t>(run_bytes / smallest);
}

bool goes_by_groups(const kernels::Kernel& kernel, const Census& census) {
  const bool useful = kernel.skeleton == kernels::Skeleton::fold && kernel.rank == 2 &&
                      kernel.folded == 1 && !kernel.range && !kernel.interior &&
                      kernel.lanes == kernels::FoldLanes::reduction && census.shared;
  return useful && !census.heavy && !census.branches && census.statements <= 32;
}

}  // namespace

std::vector<Place> element_places(const kernels::Kernel& kernel, bool lanes) {
  std::vector<Place> places(kernel.rank, Place{1, Spread::uniform});
  const Spread spread = lanes ? Spread::affine : Spread::uniform;
  places.back() = {lane_level, spread};
  if (accumulates(kernel) && kernel.lanes == kernels::FoldLanes::outer) {
    const std::uint32_t outer = kernels::outer_axes(kernel);
    places[outer - 1] = {lane_level, spread};
    std::fill(places.begin() + outer, places.end(), Place{lane_level + 1, Spread::uniform});
  }
  return places;
}

namespace {

// Longer rows have vectors enough that the last one does not count.
void choose_for_scans_of_rows(kernels::Schedule& schedule, const kernels::Kernel& kernel,
                              unsigned register_lanes) {
  constexpr std::int64_t vectors_max = 8;
  if (kernel.skeleton != kernels::Skeleton::scan || kernel.rank < 2 ||
      kernel.lanes != kernels::FoldLanes::reduction || register_lanes == 1 ||
      register_lanes == schedule.lanes)
    return;
  schedule.lanes_joined = register_lanes;
  schedule.joined_below = vectors_max * static_cast<std::int64_t>(schedule.lanes);
}

kernels::Schedule schedule_of_loops(const kernels::Kernel& kernel, const Machine& machine) {
  kernels::Schedule result;
  for (std::size_t i = 0; i < kernel.loops.size(); ++i) {
    const kernels::Schedule loop = choose_schedule(kernels::kernel_of_loop(kernel, i), machine);
    result.loop_lanes.push_back(loop.lanes);
    result.loop_nanoseconds.push_back(loop.nanoseconds);
  }
  return result;
}

}  // namespace

kernels::Schedule choose_schedule(const kernels::Kernel& kernel, const Machine& machine) {
  if (!kernel.loops.empty()) return schedule_of_loops(kernel, machine);
  kernels::Schedule result;
  result.in_order = accumulates(kernel) && kernel.lanes == kernels::FoldLanes::reduction &&
                    (kernel.in_order || !combines_neighbours(kernel));
  HoistingLevels places(kernel, true);
  places.add(usual_element(kernel), element_places(kernel, true));
  const bool in_lanes = accumulates(kernel) || kernels::updates_neighbours(kernel);
  const Spread spread = in_lanes ? Spread::varying : Spread::uniform;
  if (combines(kernel))
    places.add(kernel.combine,
               std::vector<Place>(kernel.combine.params.size(), Place{lane_level, spread}));
  if (kernel.skeleton == kernels::Skeleton::scan) {
    std::vector<Place> after = element_places(kernel, true);
    after.resize(kernel.epilogue.params.size(), Place{lane_level, Spread::varying});
    places.add(kernel.epilogue, after);
  }
  const auto window = kernels::find_sliding_window(kernel, usual_element(kernel));
  const Census census = census_of(kernel, places, machine, window);
  result.nanoseconds = std::max(0.05, census.nanoseconds);
  result.packed = contraction_tile(kernel, machine);
  if (result.in_order) {
    choose_in_order(result, kernel, places, census.widest, machine);
    return result;
  }
  const bool only_stores =
      kernel.skeleton == kernels::Skeleton::map || kernel.skeleton == kernels::Skeleton::segments;
  if (only_stores && (Walks(places, machine).found_in(usual_element(kernel)) ||
                      reads_below(usual_element(kernel), nest_max) ||
                      branches_of(usual_element(kernel)) > branches_max))
    return result;
  choose_for_few_targets(result, kernel, machine);
  if (updates_lightly(kernel, places)) {
    choose_for_updates(result, kernel, census.widest, machine);
    return result;
  }
  if (kernel.skeleton == kernels::Skeleton::compact) {
    // Compressed registers have lanes of 4 or 8 bytes.
    result.lanes = machine.lanes(std::max<std::size_t>(census.widest, 4));
    return result;
  }
  unsigned registers = registers_per_value(census, machine);
  if (goes_by_groups(kernel, census)) {
    registers = std::max(1U, registers / 2);
    result.rows_together = rows_of_group(kernel, places, registers, machine);
  }
  if (has_lanes_across(kernel) && !reads_of_rows(kernel, places).empty())
    registers = registers_of_rows(census, registers);
  // Prefixes of several registers are computed side by side; those of one register wait for each
  // other.
  if (kernel.skeleton == kernels::Skeleton::scan && kernel.lanes == kernels::FoldLanes::reduction)
    registers = std::max(registers, scan_registers_min);
  const unsigned lanes = machine.lanes(std::max<std::size_t>(census.widest, 1));
  result.lanes = std::min(lanes_max, lanes * registers);
  if (kernel.lanes == kernels::FoldLanes::reduction) {
    choose_for_short_rows(result, kernel, places, machine);
    choose_for_joined_rows(result, kernel, census.widest, machine);
  }
  choose_for_scans_of_rows(result, kernel, lanes);
  choose_for_strips(result, kernel);
  choose_for_few_results(result, kernel, census.widest, machine);
  choose_for_few_columns(result, kernel, census.widest, machine);
  choose_for_narrow_columns(result, kernel, lanes);
  choose_for_segments(result, kernel, places, machine, lanes);
  choose_for_maps(result, kernel, census, places, window, registers, machine);
  return result;
}

}  // namespace hasten::backends::cpu
