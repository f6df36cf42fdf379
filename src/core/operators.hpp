// Properties of the operators of folds and scans.
#pragma once

#include "core/program.hpp"

#include <vector>

namespace hasten::core {

/// The operator of each leaf, when a fold's operator works leaf by leaf with commutative,
/// associative operations of the table (add mul min max and_ or_ xor_), so that lanes may be
/// combined in any fixed order.
struct LaneOperator {
  bool commutative = false;      // all leaves are
  std::vector<ScalarOp> leaves;  // one per leaf, if commutative, or of segments
  bool of_segments = false;      // see segment_operator
};

/// Of fn: (left leaves, right leaves) -> leaves.
[[nodiscard]] LaneOperator lane_operator(const Region& fn);

/// The same for an operator of segments, whose first leaf says that an element begins one: the
/// other leaves of (f, x), (g, y) are those of y where g holds, else x and y combined by the table.
/// It does not commute, but has an identity, so that neighbouring lanes may be combined first.
[[nodiscard]] LaneOperator segment_operator(const Region& fn);

/// Whether fn is such an operator and yields the same bits for every order of the elements.
[[nodiscard]] bool is_exact(const Region& fn, const std::vector<ScalarType>& leaves);

/// The x such that f(x, y) == y for every y, bit for bit; f is one of these operations on a type
/// that is not complex, or the sum of complex numbers.
[[nodiscard]] Bits identity_of(ScalarOp op, ScalarType type);

/// The identity of such an operator: combined with it, every element stays the same, bit for bit.
/// Empty if fn is not such an operator, or has no identity: a product of complex numbers.
[[nodiscard]] std::vector<Bits> identity_of(const Region& fn,
                                            const std::vector<ScalarType>& leaves);

}  // namespace hasten::core
