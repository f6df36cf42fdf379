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

/// The identity of such an operation: combined with it, every x of the type stays as it is, bit for
/// bit. Of complex numbers there is that of add.
[[nodiscard]] Bits identity_of(ScalarOp op, ScalarType type);

}  // namespace hasten::core
