// Splits the conjunction; a condition is a bound if it compares an index with a uniform value.
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

bool is_fixed(const Kernel& scatter, Value v) {
  return scatter.value_types[v] == ScalarType::i64 &&
         (std::ranges::find(scatter.scalars, v) != scatter.scalars.end() ||
          constant_of(scatter.element, v));
}

struct TargetBound {
  Value index, limit;
  bool is_least;  // else the index is below the limit
};

// A comparison from either side.
std::optional<TargetBound> bound_in(const Kernel& scatter, const Prim& prim) {
  const auto as = [&](ScalarOp from_left, ScalarOp from_right,
                      bool is_least) -> std::optional<TargetBound> {
    if (prim.op != from_left && prim.op != from_right) return std::nullopt;
    const std::size_t here = prim.op == from_left ? 0 : 1;
    if (!is_fixed(scatter, prim.args[1 - here])) return std::nullopt;
    return TargetBound{prim.args[here], prim.args[1 - here], is_least};
  };
  const auto least = as(ScalarOp::ge, ScalarOp::le, true);
  return least ? least : as(ScalarOp::lt, ScalarOp::gt, false);
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
  bool is_bound(const Prim& prim) {
    const std::optional<TargetBound> bound = bound_in(scatter_, prim);
    if (!bound || bound->index != target_) return false;
    (bound->is_least ? bounds.at_least : bounds.below).push_back(bound->limit);
    return true;
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

std::vector<IndexBounds> take_index_bounds(const Kernel& scatter, std::vector<Value>& conditions) {
  std::vector<IndexBounds> result;
  std::erase_if(conditions, [&](Value condition) {
    const auto* prim = op_of<Prim>(scatter.element, condition);
    const std::optional<TargetBound> bound = prim ? bound_in(scatter, *prim) : std::nullopt;
    if (!bound || is_fixed(scatter, bound->index)) return false;
    auto known = std::ranges::find(result, bound->index, &IndexBounds::index);
    if (known == result.end()) known = result.insert(known, {bound->index, {}, {}});
    (bound->is_least ? known->at_least : known->below).push_back(bound->limit);
    return true;
  });
  return result;
}

std::optional<core::Bits> constant_of(const Region& region, Value v) {
  if (const auto* constant = op_of<core::Constant>(region, v)) return constant->bits;
  return std::nullopt;
}

}  // namespace hasten::kernels
