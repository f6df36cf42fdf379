// Costs are sums over code; nothing is measured here.
#include "passes/fusion/work.hpp"

#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace hasten::passes::fusion {

using namespace core;

namespace {

constexpr int loads_max = 2;
constexpr int element_operations = 8;  // to choose one, or to replace one, of several

void count(const Region& region, Work& work) {
  for (const Stmt& stmt : region.body) {
    ++work.size;
    if (const auto* prim = std::get_if<Prim>(&stmt.op)) {
      ++work.operations;
      work.expensive += row(prim->op).expensive ? 1 : 0;
    } else if (std::holds_alternative<Load>(stmt.op) ||
               std::holds_alternative<LoadLinear>(stmt.op)) {
      ++work.loads;
    } else if (std::holds_alternative<Extract>(stmt.op) ||
               std::holds_alternative<Insert>(stmt.op)) {
      work.operations += element_operations;
    } else {
      work.loops |=
          std::holds_alternative<While>(stmt.op) || std::holds_alternative<ForeignCall>(stmt.op);
    }
    visit_regions(stmt, [&](const Region& inner) { count(inner, work); });
  }
}

}  // namespace

void Work::add(const Work& other) {
  constexpr int bound = 1'000'000;
  operations = std::min(bound, operations + other.operations);
  loads = std::min(bound, loads + other.loads);
  expensive = std::min(bound, expensive + other.expensive);
  size = std::min(bound, size + other.size);
  loops |= other.loops;
}

Work work_of(const Region& fn) {
  Work work;
  count(fn, work);
  return work;
}

bool is_cheap(const Work& work, Times times) {
  if (times == Times::once) return true;
  if (work.loops || work.loads > loads_max) return false;
  switch (times) {
    case Times::twice: return work.expensive <= 2 && work.operations <= 32;
    case Times::in_contraction: return work.expensive == 0 && work.operations <= 2;
    default: return work.expensive == 0 && work.operations <= 6;
  }
}

bool moves_elements(const ArrayOp& op) {
  if (const auto* x = std::get_if<Backpermute>(&op)) {
    const Work work = work_of(x->fn);
    return is_cheap(work) && work.loads == 0;
  }
  return std::holds_alternative<Replicate>(op) || std::holds_alternative<Slice>(op) ||
         std::holds_alternative<Demand>(op);
}

bool is_injective(const Region& fn) {
  // Values that are a parameter plus or minus something fixed; other values of the parameters.
  std::map<Value, Value> origin;
  std::set<Value> varies;
  for (const Value p : fn.params) origin[p] = p;
  const auto depends = [&](Value v) { return origin.contains(v) || varies.contains(v); };
  for (const Stmt& stmt : fn.body) {
    const auto* prim = std::get_if<Prim>(&stmt.op);
    const bool sums = prim && (prim->op == ScalarOp::add || prim->op == ScalarOp::sub);
    if (sums) {
      const Value a = prim->args[0], b = prim->args[1];
      if (origin.contains(a) && !depends(b)) origin[stmt.results[0]] = origin[a];
      if (origin.contains(b) && !depends(a)) origin[stmt.results[0]] = origin[b];
    }
    if (origin.contains(stmt.results[0])) continue;
    bool any = false;
    for_each_use(stmt, [&](Value v) { any |= depends(v); }, [](ArrayId) {});
    if (any) varies.insert(stmt.results.begin(), stmt.results.end());
  }
  std::set<Value> used;
  for (const Value result : fn.results)
    if (const auto it = origin.find(result); it != origin.end()) used.insert(it->second);
  return used.size() == fn.params.size();
}

}  // namespace hasten::passes::fusion
