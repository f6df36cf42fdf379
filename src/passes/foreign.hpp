// Chooses, for every foreign function, a target's own function or the fallback.
//
// before: ForeignCall and ForeignArrays with any number of functions and a fallback
// after:  those with a function for the target keep only that one, and no fallback; all others have
//         become their fallback's code
// why:    later passes see either a call or ordinary code, which fuses
// needs:  nothing; provides: the form that lowering requires
#pragma once

#include "core/program.hpp"

#include <optional>

namespace hasten::passes {

/// Chooses for this kind of target: from each cascade the first function for it that this process
/// knows. Without a target, all fallbacks.
core::Program choose_foreign(core::Program program, std::optional<detail::ForeignTarget> target);

}  // namespace hasten::passes
