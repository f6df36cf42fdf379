// What is known of the operators of folds and scans.
#pragma once

#include "core/program.hpp"

#include <vector>

namespace hasten::core {

/// The operator of one leaf when an operator works leaf by leaf with a commutative, associative
/// operation of the table (add mul min max and_ or_ xor_), so that lanes may be combined in any
/// fixed order.
struct LaneOperator {
  bool commutative = false;      // all leaves are
  std::vector<ScalarOp> leaves;  // one per leaf, if commutative
};

/// Of fn: (left leaves, right leaves) -> leaves.
[[nodiscard]] LaneOperator lane_operator(const Region& fn);

/// Whether it is such an operator that gives the same bits whatever order elements come in.
[[nodiscard]] bool is_exact(const Region& fn, const std::vector<ScalarType>& leaves);

/// x with: x f y == y for every y, bit for bit, f being one of these operations on a type that is
/// not complex, or the sum of complex numbers.
[[nodiscard]] Bits identity_of(ScalarOp op, ScalarType type);

/// The identity of such an operator: combined with it, every element stays as it is, bit for bit.
/// Nothing if it is no such operator, or has none: a product of complex numbers.
[[nodiscard]] std::vector<Bits> identity_of(const Region& fn,
                                            const std::vector<ScalarType>& leaves);

}  // namespace hasten::core
