// Checks of the loops that write push arrays.
#pragma once

#include "core/program.hpp"

#include <hasten/run/options.hpp>

namespace hasten::passes {

/// Under Checks::bounds a push array that is kept in memory was written at every index exactly
/// once: its loops' targets are counted beside them, and a condition stands before its readers.
core::Program check_pushes(core::Program program, Checks checks);

}  // namespace hasten::passes
