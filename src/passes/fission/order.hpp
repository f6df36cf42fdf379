// before: parts of operations, device by device
// after:  the same, with what other devices read as early as its operands allow
// why:    a device that works through its steps in order makes what the others wait for first
#pragma once

#include "core/program.hpp"

namespace hasten::passes::fission {

[[nodiscard]] core::Program told_early(core::Program program);

}  // namespace hasten::passes::fission
