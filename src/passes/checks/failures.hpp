// Scalar code that reports whether it read out of range or divided by zero.
#pragma once

#include "core/program.hpp"

#include <hasten/run/options.hpp>

namespace hasten::passes {

/// Whether the code reads at an index that is not known to be in range (Checks::bounds), or divides
/// at all (Checks::arithmetic).
[[nodiscard]] bool can_fail(const core::Region& region, Checks checks);

/// The region with one more result: whether anything in it failed, or `failed`, a value from
/// outside, already held. A failing operation yields 0 and execution continues; loops end at a
/// failure, because what they would do afterwards is no longer the program's behaviour. The code
/// reads nothing out of range.
[[nodiscard]] core::Region with_failures(core::Program& program, core::Region region, Checks checks,
                                         core::Value failed = core::none);

}  // namespace hasten::passes
