// Makes literals constants or parameters; the first step after sharing recovery.
//
// before: `x1 = const slot 3` wherever a number was written or captured
// after:  no slots: a literal chosen as parameter is an extra scalar input, others are baked in
#pragma once

#include "core/program.hpp"

#include <vector>

namespace hasten::passes {

/// `is_parameter` has one entry per Program::literals. The extra scalar inputs come after the
/// program's own, in slot order.
core::Program bind_literals(core::Program program, const std::vector<bool>& is_parameter);

}  // namespace hasten::passes
