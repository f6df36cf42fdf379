// A loop is known to be short only from constants: its start, its step and its limit.
#include "kernels/analysis/loops/long_loops.hpp"

#include "core/traverse.hpp"

#include <algorithm>
#include <span>

namespace hasten::kernels {

using namespace core;

namespace {

constexpr std::int64_t most_rounds = 1024;  // of a short loop, with those of the loops inside it

const Prim* definition(const Region& region, Value v) {
  for (const Stmt& stmt : region.body)
    if (stmt.results.size() == 1 && stmt.results[0] == v) return std::get_if<Prim>(&stmt.op);
  return nullptr;
}

// The conditions that must all hold for a loop to continue.
std::vector<const Prim*> conjuncts(const Region& condition) {
  std::vector<const Prim*> result;
  std::vector<Value> open = {condition.results[0]};
  while (!open.empty()) {
    const Prim* const prim = definition(condition, open.back());
    open.pop_back();
    if (!prim) continue;
    if (prim->op == ScalarOp::and_)
      open.insert(open.end(), prim->args.begin(), prim->args.end());
    else
      result.push_back(prim);
  }
  return result;
}

}  // namespace

LongLoops::LongLoops(const Kernel& kernel)
    : kernel_(kernel),
      constants_(kernel.value_types.size()),
      is_long_(kernel.value_types.size()) {
  for (const Region* region : regions_of(kernel)) note_constants(*region);
  for (const Region* region : regions_of(kernel)) static_cast<void>(rounds_in(*region));
}

void LongLoops::note_constants(const Region& region) {
  for (const Stmt& stmt : region.body) {
    const auto* const number = std::get_if<Constant>(&stmt.op);
    if (number && kernel_.value_types[stmt.results[0]] == ScalarType::i64)
      constants_[stmt.results[0]] = static_cast<std::int64_t>(number->bits.lo);
    visit_regions(stmt, [&](const Region& inner) { note_constants(inner); });
  }
}

std::int64_t LongLoops::rounds_in(const Region& region) {
  std::int64_t rounds = 0;
  for (const Stmt& stmt : region.body) rounds += rounds_in(stmt);
  return rounds;
}

std::int64_t LongLoops::rounds_in(const Stmt& stmt) {
  std::int64_t inside = 0;
  visit_regions(stmt, [&](const Region& inner) { inside += rounds_in(inner); });
  if (!std::holds_alternative<While>(stmt.op) && !std::holds_alternative<Reduce>(stmt.op))
    return inside;
  const std::optional<std::int64_t> rounds = rounds_of(stmt);
  if (rounds && *rounds <= most_rounds && *rounds * (1 + inside) <= most_rounds)
    return *rounds * (1 + inside);
  is_long_[stmt.results[0]] = any_ = true;
  return 0;  // it polls the stop word itself
}

std::optional<std::int64_t> LongLoops::rounds_of(const Stmt& stmt) const {
  if (const auto* const loop = std::get_if<While>(&stmt.op)) return rounds_of(*loop);
  const auto& reduce = std::get<Reduce>(stmt.op);
  const auto begin = constant(reduce.begin), end = constant(reduce.end);
  std::int64_t rounds = 0;
  if (!begin || !end || __builtin_sub_overflow(*end, *begin, &rounds)) return std::nullopt;
  return std::max<std::int64_t>(rounds, 0);
}

// i = a; while (i < b and so on) i = i + c.
std::optional<std::int64_t> LongLoops::rounds_of(const While& loop) const {
  for (const Prim* test : conjuncts(loop.condition)) {
    if (test->op != ScalarOp::lt) continue;
    const auto state = std::ranges::find(loop.condition.params, test->args[0]);
    if (state == loop.condition.params.end()) continue;
    const auto i = static_cast<std::size_t>(state - loop.condition.params.begin());
    const Prim* const next = definition(loop.body, loop.body.results[i]);
    if (!next || next->op != ScalarOp::add) continue;
    const Value before = loop.body.params[i];
    if (next->args[0] != before && next->args[1] != before) continue;
    const auto first = constant(loop.init[i]), last = constant(test->args[1]);
    const auto step = constant(next->args[next->args[0] == before ? 1 : 0]);
    std::int64_t way = 0;
    if (!first || !last || !step || *step <= 0 || __builtin_sub_overflow(*last, *first, &way))
      continue;
    return std::max<std::int64_t>(way, 0) / *step + 1;
  }
  return std::nullopt;
}

}  // namespace hasten::kernels
