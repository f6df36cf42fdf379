// The equations of the simplifier, and an index by operation.
#pragma once

#include "passes/simplify/equation.hpp"

#include <array>
#include <span>
#include <vector>

namespace hasten::passes {

/// All equations; those of one operation are tried in this order.
std::span<const Equation* const> equations();

/// Equations by the operation at their root. The equations must outlive it.
class EquationIndex {
 public:
  explicit EquationIndex(std::span<const Equation* const> equations);
  [[nodiscard]] std::span<const Equation* const> of(core::ScalarOp op) const {
    return by_operation_[static_cast<std::size_t>(op)];
  }

 private:
  std::array<std::vector<const Equation*>, detail::scalar_op_count> by_operation_;
};

/// The index of equations().
const EquationIndex& known_equations();

}  // namespace hasten::passes
