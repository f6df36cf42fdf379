// What the schedule and the code of loops that lanes leave at different times agree on.
#pragma once

#include "core/program.hpp"

namespace hasten::backends::cpu {

/// Whether a round does no harm in lanes that have left, even if no lane is on: a few operations
/// that cannot fail and cost little.
bool is_harmless(const core::While& loop);

}  // namespace hasten::backends::cpu
