// The spread of a value follows from its operands; the spreads of loop states are a fixed point.
#include "backends/cpu/emit/hoisting.hpp"

#include "core/traverse.hpp"
#include "kernels/finish.hpp"

#include <algorithm>

namespace hasten::backends::cpu {

using namespace core;

void HoistingLevels::add(const Region& region, std::span<const Place> params) {
  std::vector<std::uint8_t> levels;
  for (std::size_t i = 0; i < params.size(); ++i) {
    places_[region.params[i]] = params[i];
    levels.push_back(params[i].level);
  }
  levels_.enter(std::span(region.params).first(params.size()), levels);
  region_differs_ = std::ranges::any_of(
      params, [](const Place& place) { return place.spread != Spread::uniform; });
  body(region);
}

void HoistingLevels::body(const Region& region) {
  for (const Stmt& stmt : region.body) {
    level_ = levels_.place(stmt);
    statement(stmt);
    const auto take = [&](Value v) { places_[v].level = levels_[v]; };
    for (Value v : stmt.results) take(v);
    visit_regions(stmt, [&](const Region& inner) { for_each_definition(inner, take); });
  }
}

void HoistingLevels::statement(const Stmt& stmt) {
  Spread spread = Spread::uniform;
  if (auto* p = std::get_if<Prim>(&stmt.op)) spread = of_prim(*p);
  if (auto* l = std::get_if<LoadLinear>(&stmt.op))
    spread = varying(l->index) ? Spread::varying : Spread::uniform;
  if (auto* f = std::get_if<ForeignCall>(&stmt.op))
    for (Value v : f->args)
      if (varying(v)) spread = Spread::varying;
  if (auto* b = std::get_if<If>(&stmt.op)) return branch(*b, stmt);
  if (auto* w = std::get_if<While>(&stmt.op)) return loop(*w, stmt);
  if (auto* r = std::get_if<Reduce>(&stmt.op)) return reduction(*r, stmt);
  if (std::holds_alternative<Extract>(stmt.op) || std::holds_alternative<Insert>(stmt.op))
    return elements(stmt);
  set_spread(stmt.results, spread);
}

Spread HoistingLevels::of_prim(const Prim& prim) const {
  const bool any =
      std::any_of(prim.args.begin(), prim.args.end(), [&](Value v) { return varying(v); });
  if (!any) return Spread::uniform;
  if (prim.args.size() != 2) return Spread::varying;
  const Spread a = places_[prim.args[0]].spread, b = places_[prim.args[1]].spread;
  if (prim.op == ScalarOp::add && a == Spread::uniform) return b;
  if (prim.op == ScalarOp::add && b == Spread::uniform) return a;
  if (prim.op == ScalarOp::sub && b == Spread::uniform) return a;
  return Spread::varying;
}

// All elements have one form, as memory does.
void HoistingLevels::elements(const Stmt& stmt) {
  bool any = is_of_array_in_lanes(stmt.results[0]);
  visit_operands(stmt, [&](Value v) { any = any || varying(v); }, [](ArrayId) {});
  set_spread(stmt.results, any ? Spread::varying : Spread::uniform);
}

void HoistingLevels::branch(const If& branch, const Stmt& stmt) {
  for (const Region* side : {&branch.then_, &branch.else_})
    for (const Stmt& inner : side->body) statement(inner);
  for (std::size_t i = 0; i < stmt.results.size(); ++i) {
    const bool uniform = !varying(branch.condition) && !varying(branch.then_.results[i]) &&
                         !varying(branch.else_.results[i]) &&
                         !is_of_array_in_lanes(stmt.results[i]);
    places_[stmt.results[i]].spread = uniform ? Spread::uniform : Spread::varying;
  }
}

// A state is uniform inside if its initial value is and every round keeps it so: the lanes that are
// on have made the same rounds. A loop's result is uniform if all lanes leave together.
void HoistingLevels::loop(const While& loop, const Stmt& stmt) {
  std::vector<bool> uniform;
  for (std::size_t i = 0; i < loop.init.size(); ++i)
    uniform.push_back(!varying(loop.init[i]) && !is_of_array_in_lanes(stmt.results[i]));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < uniform.size(); ++i) {
      const Spread spread = uniform[i] ? Spread::uniform : Spread::varying;
      places_[loop.condition.params[i]].spread = places_[loop.body.params[i]].spread = spread;
    }
    for (const Region* part : {&loop.condition, &loop.body})
      for (const Stmt& inner : part->body) statement(inner);
    for (std::size_t i = 0; i < uniform.size(); ++i) {
      if (!uniform[i] || !varying(loop.body.results[i])) continue;
      uniform[i] = false;
      changed = true;
    }
  }
  const bool diverges = varying(loop.condition.results[0]);
  for (std::size_t i = 0; i < uniform.size(); ++i)
    places_[stmt.results[i]].spread = uniform[i] && !diverges ? Spread::uniform : Spread::varying;
}

void HoistingLevels::reduction(const Reduce& reduce, const Stmt& stmt) {
  const bool along = may_go_along_ && !in_lanes_ && level_ < lane_level &&
                     kernels::lane_operator(reduce.combine).commutative;
  for (Value v : stmt.results) along_lanes_[v] = along;
  if (!along) return reduction_in_order(reduce, stmt);
  in_lanes_ = true;
  places_[reduce.element.params[0]].spread = Spread::affine;
  for (const Stmt& inner : reduce.element.body) statement(inner);
  in_lanes_ = false;
  set_spread(stmt.results, Spread::uniform);
}

// A leaf is uniform if it starts so, and every step keeps it so.
void HoistingLevels::reduction_in_order(const Reduce& reduce, const Stmt& stmt) {
  const std::size_t leaves = stmt.results.size();
  const bool same_steps = !varying(reduce.begin) && !varying(reduce.end);
  places_[reduce.element.params[0]].spread = same_steps ? Spread::uniform : Spread::varying;
  for (const Stmt& inner : reduce.element.body) statement(inner);
  std::vector<bool> uniform;
  for (std::size_t i = 0; i < leaves; ++i)
    uniform.push_back(same_steps && !varying(reduce.element.results[i]) &&
                      (reduce.seed.empty() || !varying(reduce.seed[i])));
  for (bool changed = true; changed;) {
    for (std::size_t i = 0; i < leaves; ++i)
      for (const Value v : {reduce.combine.params[i], reduce.combine.params[leaves + i]})
        places_[v].spread = uniform[i] ? Spread::uniform : Spread::varying;
    for (const Stmt& inner : reduce.combine.body) statement(inner);
    changed = false;
    for (std::size_t i = 0; i < leaves; ++i) {
      if (!uniform[i] || !varying(reduce.combine.results[i])) continue;
      uniform[i] = false;
      changed = true;
    }
  }
  for (std::size_t i = 0; i < leaves; ++i)
    places_[stmt.results[i]].spread = uniform[i] ? Spread::uniform : Spread::varying;
}

void HoistingLevels::set_spread(const std::vector<Value>& values, Spread spread) {
  for (Value v : values) places_[v].spread = spread;
}

}  // namespace hasten::backends::cpu
