// Scalar code that tells whether it read out of range or divided by zero.
#pragma once

#include "core/program.hpp"

#include <hasten/run/options.hpp>

namespace hasten::passes {

/// Whether the code reads at an index that is not known to be in range (Checks::bounds), or divides
/// by anything (Checks::arithmetic).
[[nodiscard]] bool can_fail(const core::Region& region, Checks checks);

/// The region with one more result: whether anything failed in it, or `failed`, a value from around
/// it, held before. What fails gives 0 and goes on; loops end at a failure, for what they would do
/// after it is not the program any more. The code reads nothing out of range.
[[nodiscard]] core::Region with_failures(core::Program& program, core::Region region, Checks checks,
                                         core::Value failed = core::none);

}  // namespace hasten::passes
