// Checks that a core program keeps the rules of program.hpp. Run after every pass in tests.
#pragma once

#include "core/program.hpp"

namespace hasten::core {

/// Throws InternalError, with the printed program, if something is wrong: numbers defined twice or
/// used before or outside their definition, types and arities of operations, ranks and leaves of
/// arrays, places of literals. `after` names what made the program ("sharing", "fuse").
void verify(const Program& program, const char* after);

}  // namespace hasten::core
