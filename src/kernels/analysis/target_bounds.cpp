// Splits the conjunction; a condition is a bound if it compares the target with a uniform value.
#include "kernels/analysis/target_bounds.hpp"

#include <algorithm>

namespace hasten::kernels {
namespace {

using core::Prim;
using core::ScalarOp;

template <class Op>
const Op* op_of(const Region& region, Value v) {
  for (const core::Stmt& stmt : region.body)
    if (stmt.results.size() == 1 && stmt.results[0] == v) return std::get_if<Op>(&stmt.op);
  return nullptr;
}

class Conditions {
 public:
  explicit Conditions(const Kernel& scatter)
      : scatter_(scatter),
        target_(scatter.element.results[1]) {}

  void add(Value condition) {
    if (const auto known = constant_of(scatter_.element, condition); known && known->lo != 0)
      return;
    const auto* prim = op_of<Prim>(scatter_.element, condition);
    if (prim && prim->op == ScalarOp::and_) {
      for (const Value part : prim->args) add(part);
    } else if (!prim || !is_bound(*prim)) {
      bounds.others.push_back(condition);
    }
  }

  TargetBounds bounds;

 private:
  [[nodiscard]] bool is_fixed(Value v) const {
    return scatter_.value_types[v] == ScalarType::i64 &&
           (std::ranges::find(scatter_.scalars, v) != scatter_.scalars.end() ||
            constant_of(scatter_.element, v));
  }
  // Compared from either side.
  bool is_bound(const Prim& prim) {
    const auto set = [&](ScalarOp from_left, ScalarOp from_right, std::vector<Value>& to) {
      if (prim.op != from_left && prim.op != from_right) return false;
      const std::size_t here = prim.op == from_left ? 0 : 1;
      if (prim.args[here] != target_ || !is_fixed(prim.args[1 - here])) return false;
      to.push_back(prim.args[1 - here]);
      return true;
    };
    return set(ScalarOp::ge, ScalarOp::le, bounds.at_least) ||
           set(ScalarOp::lt, ScalarOp::gt, bounds.below);
  }

  const Kernel& scatter_;
  Value target_;
};

}  // namespace

TargetBounds target_bounds(const Kernel& scatter) {
  Conditions conditions(scatter);
  conditions.add(scatter.element.results[0]);
  return std::move(conditions.bounds);
}

std::optional<core::Bits> constant_of(const Region& region, Value v) {
  if (const auto* constant = op_of<core::Constant>(region, v)) return constant->bits;
  return std::nullopt;
}

}  // namespace hasten::kernels
