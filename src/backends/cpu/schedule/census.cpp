// One walk over the statements, each weighed by the loops around it.
#include "backends/cpu/schedule/census.hpp"

#include "backends/cpu/emit/rounds.hpp"
#include "backends/cpu/ops/ops.hpp"
#include "backends/cpu/schedule/rows.hpp"
#include "backends/cpu/schedule/schedule.hpp"

#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace hasten::backends::cpu {

using namespace core;

bool is_division(ScalarOp op) {
  return op == ScalarOp::quot || op == ScalarOp::rem || op == ScalarOp::idiv || op == ScalarOp::mod;
}

namespace {

class Counter {
 public:
  Counter(const kernels::Kernel& kernel, const HoistingLevels& places, const Machine& machine)
      : kernel_(kernel),
        places_(places),
        machine_(machine),
        row_reads_(reads_of_rows(kernel, places)) {}

  Census run(const std::optional<kernels::SlidingWindow>& window) {
    // Lanes across rows have the inner loop inside of theirs.
    const bool across = accumulates(kernel_) && kernel_.lanes == kernels::FoldLanes::outer;
    inner_level_ = lane_level + (across ? 1 : 0);
    if (window) {
      if (!window->is_still) region(window->producer, 1);
      region(window->consumer, 1);
    } else {
      region(usual_element(kernel_), 1);
    }
    inner_level_ = lane_level;
    if (combines(kernel_)) region(kernel_.combine, 1);
    if (kernel_.skeleton == kernels::Skeleton::scan) {
      region(kernel_.epilogue, 1);
      for (const Value leaf : kernel_.combine.results) widen(kernel_.value_types[leaf]);
    }
    for (ScalarType t : kernel_.outputs) widen(t);
    return census_;
  }

 private:
  void region(const Region& r, double times) {
    for (const Stmt& stmt : r.body) statement(stmt, times);
  }

  void statement(const Stmt& stmt, double times) {
    if (auto* p = std::get_if<Prim>(&stmt.op)) prim(*p, stmt, times);
    if (auto* l = std::get_if<LoadLinear>(&stmt.op)) load(*l, times);
    if (auto* w = std::get_if<While>(&stmt.op)) {
      census_.loops = true, times *= 16;
      if (places_.varying(w->condition.results[0])) {
        census_.goes_by_blocks = is_harmless(*w) && (census_.goes_by_blocks || !census_.diverges);
        census_.diverges = true;
      }
    }
    if (std::holds_alternative<ForeignCall>(stmt.op)) foreign(stmt, times);
    if (auto* r = std::get_if<Reduce>(&stmt.op)) return reduction(*r, stmt, times);
    visit_regions(stmt, [&](const Region& inner) {
      census_.branches = true;
      region(inner, times);
    });
  }

  // A reduction of a row has about as many steps as the row has elements.
  void reduction(const Reduce& r, const Stmt& stmt, double times) {
    const bool of_row = places_[stmt.results[0]].level < lane_level;
    census_.loops |= !of_row;
    for (const Value leaf : stmt.results)
      if (!of_row && places_.varying(leaf))
        census_.reduced = std::max(
            census_.reduced, detail::size_in_bytes(detail::part_of(kernel_.value_types[leaf])));
    const bool outside = std::exchange(of_row_, of_row_ || of_row);
    for (const Region* part : {&r.element, &r.combine}) region(*part, of_row ? times : 16 * times);
    of_row_ = outside;
  }

  [[nodiscard]] bool counts(Value v) const { return of_row_ || places_[v].level >= inner_level_; }
  [[nodiscard]] bool is_in_lanes(Value v) const {
    return of_row_ || places_[v].level >= lane_level;
  }

  void prim(const Prim& p, const Stmt& stmt, double times) {
    const Value result = stmt.results[0];
    if (is_in_lanes(result) && places_.varying(result) &&
        detail::is_floating(kernel_.value_types[result]))
      widen(kernel_.value_types[result]);
    if (!counts(result)) return;
    ++census_.statements;
    const bool chains = is_inline_math(p.op, kernel_.value_types[p.args[0]], machine_);
    const bool costly = !chains && (row(p.op).expensive || is_division(p.op));
    census_.nanoseconds += times * (costly ? 1 : chains ? 0.4 : 0.05);
    census_.chains |= chains;
    census_.heavy |= costly && places_.varying(result);
  }

  // One call for each lane.
  void foreign(const Stmt& stmt, double times) {
    const Value result = stmt.results[0];
    if (!counts(result)) return;
    ++census_.statements;
    census_.heavy = true;
    census_.nanoseconds += times * 10;
    widen(kernel_.value_types[result]);
  }

  void load(const LoadLinear& l, double times) {
    const Place& index = places_[l.index];
    if (is_in_lanes(l.index) && index.spread != Spread::uniform) widen(kernel_.inputs[l.array]);
    if (!counts(l.index)) return;
    ++census_.statements;
    const bool gathers = index.spread == Spread::varying && !row_reads_.contains(&l);
    census_.nanoseconds += times * (gathers ? 1 : 0.1);
    census_.heavy |= gathers;
    census_.shared |= l.index == kernel_.element.params.back();
  }

  void widen(ScalarType type) {
    census_.widest = std::max(census_.widest, detail::size_in_bytes(detail::part_of(type)));
  }

  const kernels::Kernel& kernel_;
  const HoistingLevels& places_;
  const Machine& machine_;
  const std::set<const LoadLinear*> row_reads_;
  bool of_row_ = false;                // in a reduction
  unsigned inner_level_ = lane_level;  // of the loop that repeats the code
  Census census_;
};

}  // namespace

Census census_of(const kernels::Kernel& kernel, const HoistingLevels& places,
                 const Machine& machine, const std::optional<kernels::SlidingWindow>& window) {
  return Counter(kernel, places, machine).run(window);
}

}  // namespace hasten::backends::cpu
