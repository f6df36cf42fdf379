// Checks the loops that write push arrays.
#pragma once

#include "core/program.hpp"

#include <hasten/run/options.hpp>

namespace hasten::passes {

/// Under Checks::bounds, ensures that a push array kept in memory was written at every index
/// exactly once: its loops' targets are counted beside them, and a condition precedes its readers.
core::Program check_pushes(core::Program program, Checks checks);

}  // namespace hasten::passes
