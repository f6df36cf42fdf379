// Checks that a core program obeys the rules of program.hpp. Tests run it after every pass.
#pragma once

#include "core/program.hpp"

namespace hasten::core {

/// Throws InternalError, with the printed program, if a rule is broken: numbers defined twice or
/// used before or outside their definition, types and arities of operations, ranks and leaves of
/// arrays, slots of literals. `after` names the stage that made the program ("sharing", "fuse").
void verify(const Program& program, const char* after);

}  // namespace hasten::core
