// A factor belongs to a product only if nothing else needs the factor: else the root itself would
// be computed beside the product's estimate.
#include "kernels/analysis/root_powers.hpp"

#include "core/traverse.hpp"

namespace hasten::kernels {

using namespace core;

namespace {

// With a higher power the error of an estimate to 14 bits, squared, would be seen in the result.
constexpr unsigned exponent_most = 3;

}  // namespace

RootPowers::RootPowers(const Kernel& kernel)
    : kernel_(kernel),
      uses_(kernel.value_types.size()),
      of_(kernel.value_types.size()) {
  for (const Region* region : regions_of(kernel))
    for_each_use(*region, [&](Value v) { ++uses_[v]; }, [](ArrayId) {});
  for (const Region* region : regions_of(kernel)) note(*region);
}

void RootPowers::note(const Region& region) {
  for (const Stmt& stmt : region.body) {
    if (const auto* prim = std::get_if<Prim>(&stmt.op)) note(*prim, stmt.results[0], region);
    visit_regions(stmt, [&](const Region& inner) { note(inner); });
  }
}

void RootPowers::note(const Prim& prim, Value result, const Region& region) {
  if (kernel_.value_types[result] != ScalarType::f32) return;
  if (prim.op == ScalarOp::rsqrt) {
    of_[result] = {.root = result, .region = &region, .exponent = 1};
  } else if (prim.op == ScalarOp::mul) {
    const Factor left = factor(prim.args[0], region), right = factor(prim.args[1], region);
    if (left.root == none && right.root == none) return;
    if (left.root != none && right.root != none && left.root != right.root) return;
    of_[result] = left.root != none ? left : right;
    of_[result].exponent = left.exponent + right.exponent;
    of_[result].product = &prim;
  }
}

// A root of an enclosing region is computed once for all rounds of a loop.
RootPowers::Factor RootPowers::factor(Value v, const Region& region) const {
  const Factor& result = of_[v];
  const bool is_shared = result.product && uses_[v] != 1;
  return result.region == &region && !is_shared ? result : Factor{};
}

std::optional<RootPower> RootPowers::completed_by(Value product) const {
  const Factor& factor = of_[product];
  if (!factor.product || factor.exponent < 2 || factor.exponent > exponent_most ||
      factor.exponent != uses_[factor.root])
    return std::nullopt;
  for (const Value part : factor.product->args)
    if (of_[part].exponent == factor.exponent) return std::nullopt;  // an earlier one has them all
  RootPower power{.root = factor.root, .exponent = factor.exponent, .others = {}};
  add_others(product, factor.root, power.others);
  // Factors that were multiplied with a root each might overflow together.
  if (power.others.size() > 1) return std::nullopt;
  return power;
}

void RootPowers::add_others(Value factor, Value root, std::vector<Value>& others) const {
  if (factor == root) return;
  if (of_[factor].root != root) return others.push_back(factor);
  for (const Value part : of_[factor].product->args) add_others(part, root, others);
}

}  // namespace hasten::kernels
