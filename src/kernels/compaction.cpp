// Each half is a copy of the element without dead code.
#include "kernels/compaction.hpp"

#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"
#include "passes/dead_code.hpp"

#include <set>

namespace hasten::kernels {
namespace {

using namespace core;

constexpr std::size_t cheap_statements_max = 24;

Region with_results(const Kernel& kernel, std::vector<Value> results) {
  Region half = kernel.element;
  half.results = std::move(results);
  passes::remove_dead_code(half, kernel.value_types.size());
  return half;
}

bool is_costly(const Stmt& stmt) {
  if (std::holds_alternative<While>(stmt.op) || std::holds_alternative<ForeignCall>(stmt.op))
    return true;
  const auto* prim = std::get_if<Prim>(&stmt.op);
  bool result = prim && row(prim->op).expensive;
  visit_regions(stmt, [&](const Region& inner) {
    for (const Stmt& statement : inner.body) result |= is_costly(statement);
  });
  return result;
}

}  // namespace

Region mask_region(const Kernel& kernel) {
  return with_results(kernel, {kernel.element.results[0]});
}

Region leaves_region(const Kernel& kernel) {
  const std::vector<Value>& results = kernel.element.results;
  return with_results(kernel, {results.begin() + 1, results.end()});
}

bool halves_share_work(const Kernel& kernel) {
  std::set<Value> of_mask;
  const Region mask = mask_region(kernel), leaves = leaves_region(kernel);
  for (const Stmt& stmt : mask.body) of_mask.insert(stmt.results.begin(), stmt.results.end());
  std::size_t shared = 0;
  for (const Stmt& stmt : leaves.body) {
    if (!of_mask.contains(stmt.results[0])) continue;
    if (is_costly(stmt)) return true;
    ++shared;
  }
  return shared > cheap_statements_max;
}

}  // namespace hasten::kernels
