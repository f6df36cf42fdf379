// The i64 values of scalar functions as sums of unknowns with bounds: indices of a space, extents,
// what conditions and loops say of others.
//
// A value and its sum are one number where no step on the way wrapped. Sums and products need not
// ask: they come out right whenever the true sum fits. Comparisons, limits, quotients and bounds
// do, so that they take what may have wrapped for an unknown of its own (exact()).
#pragma once

#include "passes/bounds/inequalities.hpp"
#include "passes/shapes.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

namespace hasten::passes {

class IndexValues {
 public:
  IndexValues(const core::Program& program, const Shapes& shapes)
      : shapes_(shapes),
        types_(program.value_types) {}

  Inequalities inequalities;

  /// Symbols are those known at the binding of this array, from here on.
  void stand_at(core::ArrayId array) { at_ = array; }

  Sum of(core::Value value);
  Sum of_symbol(Symbol symbol);
  /// The extent of an array with elements along this axis: what max(x, 0) is where it is not 0.
  Sum of_extent(core::ArrayId array, std::uint32_t axis);
  [[nodiscard]] bool is_index(core::Value value) const {
    return types_[value] == core::ScalarType::i64;
  }

  /// 0 <= value <= extent - 1
  void define_index(core::Value value, const Sum& extent);
  void define(core::Value value, Inequalities::Bounds bounds, bool counts) {
    values_[value] = fresh(std::move(bounds), {counts, counts});
  }
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
  /// How far from where 64 bits wrap: not much less than 0, no more than elements are counted to.
  struct Size {
    bool not_low, not_high;
    [[nodiscard]] bool counts() const { return not_low && not_high; }
  };
  Sum fresh(Inequalities::Bounds bounds, Size size);
  Sum anything() { return fresh({}, {false, false}); }
  [[nodiscard]] Size size_of(const Sum& sum) const;
  Sum exact(const Sum& sum);
  [[nodiscard]] bool cannot_wrap(const Sum& sum) const;
  Sum extent(bool is_never_negative);
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
  std::vector<Size> sizes_;  // by Unknown
  std::unordered_map<core::Value, Sum> values_;
  std::unordered_map<Symbol, Sum> symbols_;
  std::unordered_map<core::Value, const core::Prim*> conditions_;
  std::unordered_map<core::Value, const core::If*> branches_;
  std::unordered_map<core::Value, bool> truths_;
};

}  // namespace hasten::passes
