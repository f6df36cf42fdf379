// The i64 values of scalar functions as sums of unknowns with bounds: indices of a space, extents,
// and values that conditions and loops restrict.
//
// A value equals its sum where no step on the way wrapped. Sums and products need no check: their
// result is right whenever the true sum fits. Comparisons, limits, quotients and bounds need one:
// they treat a value that may have wrapped as an unknown of its own (exact()).
#pragma once

#include "passes/bounds/inequalities.hpp"
#include "passes/shapes.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

namespace hasten::passes {

/// The numbers that a value can be; by default all i64.
struct Interval {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
};
/// From 0 on: for extents, and values made from them without subtraction.
inline constexpr Interval counted{.least = 0};

class IndexValues {
 public:
  IndexValues(const core::Program& program, const Shapes& shapes)
      : shapes_(shapes),
        types_(program.value_types) {}

  Inequalities inequalities;

  /// Symbols are resolved with what is known at the binding of this array, from here on.
  void stand_at(core::ArrayId array) { at_ = array; }
  /// The operands of symbols made in a block are unknown after the block.
  void leave_block() {
    for (const Symbol symbol : made_) symbols_.erase(symbol);
    made_.clear();
  }

  Sum of(core::Value value);
  Sum of_symbol(Symbol symbol);
  /// A value that has no name here, such as a component of an array's elements.
  Sum of_bounds(Inequalities::Bounds bounds);
  /// The extent of an array with elements along this axis: max(x, 0) where it is not 0.
  Sum of_extent(core::ArrayId array, std::uint32_t axis);
  [[nodiscard]] bool is_index(core::Value value) const {
    return types_[value] == core::ScalarType::i64;
  }

  /// 0 <= value <= extent - 1
  void define_index(core::Value value, const Sum& extent);
  void define(core::Value value, Inequalities::Bounds bounds);
  /// Counters with larger steps are not tracked: they could wrap within a realistic run.
  static constexpr std::int64_t step_max = 256;
  /// A value that starts as `first` and changes by `step` after each round of a loop.
  void define_counter(core::Value value, core::Value first, std::int64_t step);
  void define_as(core::Value value, const Sum& sum) { values_[value] = sum; }
  /// Any other statement that is not a read and has no regions.
  void define(const core::Stmt& stmt);
  /// The result of a branch: one of two values.
  void define_either(core::Value value, core::Value a, core::Value b);
  /// The result of a branch that is a condition: && and || of C++.
  void define_condition(core::Value value, const core::If& branch) { branches_[value] = &branch; }

  /// A sum that equals the value even if a step on the way wrapped.
  Sum exact(core::Value value) { return exact(of(value)); }

  /// Assumes the condition, or its negation.
  void assume(core::Value condition, bool holds);

 private:
  Sum fresh(Inequalities::Bounds bounds, Interval interval);
  Sum anything() { return fresh({}, {}); }
  [[nodiscard]] std::optional<Interval> interval_of(const Sum& sum) const;
  /// Of a sum that cannot wrap.
  [[nodiscard]] Interval exact_interval(const Sum& sum) const;
  Sum exact(const Sum& sum);
  Sum extent(Symbol symbol);
  Sum expression(const Shapes::Expression& expression, Symbol symbol);
  std::optional<Sum> arithmetic(core::ScalarOp op, const Sum& a, const Sum& b);
  Sum least(const Sum& a, const Sum& b);
  Sum greatest(const Sum& a, const Sum& b);
  std::optional<Sum> shown_quotient(const Sum& a, std::optional<std::int64_t> divisor);
  std::optional<Sum> quotient(const Sum& a, std::int64_t divisor);
  std::optional<Sum> remainder(const Sum& a, const Sum& b);
  Sum converted(core::Value from);
  void assume(const core::Prim& comparison, bool holds);
  void assume(const core::If& branch, bool holds);
  void compare(core::ScalarOp op, const Sum& a, const Sum& b, bool holds);
  [[nodiscard]] bool is_constant(core::Value condition, bool value) const;

  const Shapes& shapes_;
  const std::vector<core::ScalarType>& types_;
  core::ArrayId at_ = core::none;
  std::vector<Interval> intervals_;  // by Unknown
  std::unordered_map<core::Value, Sum> values_;
  std::unordered_map<Symbol, Sum> symbols_;
  std::vector<Symbol> made_;  // of these, the expressions of others
  std::unordered_map<core::Value, const core::Prim*> conditions_;
  std::unordered_map<core::Value, const core::If*> branches_;
  std::unordered_map<core::Value, bool> truths_;
};

}  // namespace hasten::passes
