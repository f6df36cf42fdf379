// The i64 values of scalar functions as sums of unknowns with bounds: indices of a space, extents,
// what conditions and loops say of others.
//
// A value and its sum are one number where no step on the way wrapped. Sums and products need not
// ask: they come out right whenever the true sum fits. Comparisons, limits, quotients and bounds
// do, so that they take what may have wrapped for an unknown of its own (exact()).
#pragma once

#include "passes/bounds/inequalities.hpp"
#include "passes/shapes.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

namespace hasten::passes {

/// The numbers that a value can be; all there are unless said otherwise.
struct Interval {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
};
/// From 0 on: of extents, and of what is made of them without a minus.
inline constexpr Interval counted{.least = 0};

class IndexValues {
 public:
  IndexValues(const core::Program& program, const Shapes& shapes)
      : shapes_(shapes),
        types_(program.value_types) {}

  Inequalities inequalities;

  /// Symbols are those known at the binding of this array, from here on.
  void stand_at(core::ArrayId array) { at_ = array; }
  /// What symbols were made of in a block is not known after it.
  void leave_block() {
    for (const Symbol symbol : made_) symbols_.erase(symbol);
    made_.clear();
  }

  Sum of(core::Value value);
  Sum of_symbol(Symbol symbol);
  /// Of a number that has no name here, a component of an array's elements.
  Sum of_bounds(Inequalities::Bounds bounds);
  /// The extent of an array with elements along this axis: what max(x, 0) is where it is not 0.
  Sum of_extent(core::ArrayId array, std::uint32_t axis);
  [[nodiscard]] bool is_index(core::Value value) const {
    return types_[value] == core::ScalarType::i64;
  }

  /// 0 <= value <= extent - 1
  void define_index(core::Value value, const Sum& extent);
  void define(core::Value value, Inequalities::Bounds bounds);
  /// A counter that goes further a round is not followed: it could wrap within a lifetime.
  static constexpr std::int64_t step_max = 256;
  /// What begins as `first`, and is so much more, or less, after each round of a loop.
  void define_counter(core::Value value, core::Value first, std::int64_t step);
  void define_as(core::Value value, const Sum& sum) { values_[value] = sum; }
  /// All else, of a statement that is no read and has no regions.
  void define(const core::Stmt& stmt);
  /// What the results of a branch are.
  void define_either(core::Value value, core::Value a, core::Value b);
  /// The result of a branch that is a condition: && and || of C++.
  void define_condition(core::Value value, const core::If& branch) { branches_[value] = &branch; }

  /// A sum that is the value, whatever wrapped on the way.
  Sum exact(core::Value value) { return exact(of(value)); }

  /// Takes the condition for a fact, or its opposite.
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
  std::vector<Symbol> made_;  // of these, expressions of others
  std::unordered_map<core::Value, const core::Prim*> conditions_;
  std::unordered_map<core::Value, const core::If*> branches_;
  std::unordered_map<core::Value, bool> truths_;
};

}  // namespace hasten::passes
