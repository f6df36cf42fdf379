// Checks of the operators of folds, scans and scatters.
#pragma once

#include "core/program.hpp"

#include <hasten/run/options.hpp>

namespace hasten::passes {

/// Operators meet values that no element has by itself, so no kernel can check them in advance.
/// Operators that may fail report it themselves, in one more component of what they combine, and a
/// condition stands between the result and its readers. After the pass no operator can fail.
core::Program check_operators(core::Program program, Checks checks);

}  // namespace hasten::passes
