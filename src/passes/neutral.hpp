// Elements that an operator leaves everything as it is with.
#pragma once

#include "core/program.hpp"

#include <vector>

namespace hasten::passes {

/// Of an operator of two elements with these leaves that works leaf by leaf with commutative
/// operations of the table: for each leaf n with x f n == x, bit for bit. Else nothing.
[[nodiscard]] std::vector<core::Bits> neutral_elements(const core::Region& fn,
                                                       const std::vector<core::ScalarType>& leaves);

}  // namespace hasten::passes
