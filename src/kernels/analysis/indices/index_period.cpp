// One forward walk finds sums of the index with constants, divisions of these by constants, and
// what depends on remainders.
#include "kernels/analysis/indices/index_period.hpp"

#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace hasten::kernels {
namespace {

using namespace core;

class Divisions {
 public:
  Divisions(const Kernel& kernel, Value index) : kernel_(kernel) { sums_.insert(index); }

  void add(const Region& region) {
    for (const Stmt& stmt : region.body) {
      if (const auto* constant = std::get_if<Constant>(&stmt.op)) {
        constants_[stmt.results[0]] = static_cast<std::int64_t>(constant->bits.lo);
      } else if (const auto* prim = std::get_if<Prim>(&stmt.op)) {
        add(*prim, stmt.results[0]);
      } else if (const auto* load = std::get_if<LoadLinear>(&stmt.op)) {
        pays_ |= of_remainders_.contains(load->index);
      } else if (const auto* branch = std::get_if<If>(&stmt.op)) {
        pays_ |= of_remainders_.contains(branch->condition) &&
                 (is_worth_skipping(branch->then_) || is_worth_skipping(branch->else_));
      }
      visit_regions(stmt, [&](const Region& inner) { add(inner); });
    }
  }

  [[nodiscard]] std::int64_t period() const {
    if (!pays_) return 1;
    std::int64_t period = 1;
    for (const std::int64_t divisor : divisors_) period = std::lcm(period, divisor);
    return period <= index_period_max ? period : 1;
  }

 private:
  void add(const Prim& prim, Value result) {
    const bool of_remainder =
        std::ranges::any_of(prim.args, [&](Value v) { return of_remainders_.contains(v); });
    if (of_remainder) of_remainders_.insert(result);
    if (prim.args.size() != 2 || kernel_.value_types[result] != ScalarType::i64) return;
    const bool left = sums_.contains(prim.args[0]), right = sums_.contains(prim.args[1]);
    const bool adds = prim.op == ScalarOp::add;
    if ((left && (adds || prim.op == ScalarOp::sub) && constants_.contains(prim.args[1])) ||
        (right && adds && constants_.contains(prim.args[0])))
      sums_.insert(result);
    const std::int64_t divisor = left ? divisor_of(prim) : 0;
    if (divisor < 2 || divisor > index_period_max) return;
    divisors_.insert(divisor);
    pays_ |= !std::has_single_bit(static_cast<std::uint64_t>(divisor));
    if (is_remainder(prim.op)) of_remainders_.insert(result);
  }

  static bool is_remainder(ScalarOp op) {
    return op == ScalarOp::rem || op == ScalarOp::mod || op == ScalarOp::and_;
  }

  // 0: it is none, or not known.
  [[nodiscard]] std::int64_t divisor_of(const Prim& prim) const {
    const auto known = constants_.find(prim.args[1]);
    if (known == constants_.end()) return 0;
    const std::int64_t by = known->second;
    switch (prim.op) {
      case ScalarOp::quot:
      case ScalarOp::rem:
      case ScalarOp::idiv:
      case ScalarOp::mod: return by;
      case ScalarOp::and_: return by > 0 && (by & (by + 1)) == 0 ? by + 1 : 0;
      case ScalarOp::shr: return by > 0 && by < 6 ? std::int64_t{1} << by : 0;
      default: return 0;
    }
  }

  // Lanes that do not need it would compute it, too, or read under a mask.
  static bool is_worth_skipping(const Region& region) {
    return std::ranges::any_of(region.body, [](const Stmt& stmt) {
      const auto* prim = std::get_if<Prim>(&stmt.op);
      return !std::holds_alternative<Constant>(stmt.op) && (!prim || row(prim->op).expensive);
    });
  }

  const Kernel& kernel_;
  std::map<Value, std::int64_t> constants_;
  std::set<Value> sums_, of_remainders_;
  std::set<std::int64_t> divisors_;
  bool pays_ = false;
};

}  // namespace

std::int64_t index_period(const Kernel& kernel, const Region& region, std::size_t axis) {
  Divisions divisions(kernel, region.params[axis]);
  divisions.add(region);
  return divisions.period();
}

}  // namespace hasten::kernels
