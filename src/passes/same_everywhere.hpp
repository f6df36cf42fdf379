// What Determinism::everywhere requires of a program.
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

/// Rewrites the program so that it has the same bits on every target, the interpreter included: one
/// grouping of folds, scans and scatters, and functions made of IEEE operations. Runs before any
/// other pass, so that no constant is folded by other functions.
core::Program same_everywhere(core::Program program);

}  // namespace hasten::passes
