// Checks of the operators of folds, scans and scatters.
#pragma once

#include "core/program.hpp"

#include <hasten/run/options.hpp>

namespace hasten::passes {

/// What an operator meets no element has alone, so that no kernel could find out before whether it
/// fails. Operators that may fail say themselves, in one more component of what they combine, and a
/// condition stands between the result and its readers. After that no operator can fail.
core::Program check_operators(core::Program program, Checks checks);

}  // namespace hasten::passes
