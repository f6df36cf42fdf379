// Foreign functions: a target's own, or the fallback.
//
// before: ForeignCall and ForeignArrays with any number of functions and a fallback
// after:  those with a function for the target have that one alone, and no fallback; all others
//         have become their fallback's code
// why:    what follows sees either a call or code like any other, which fuses
// needs:  nothing; provides: what lowering asks for
#pragma once

#include "core/program.hpp"

#include <optional>

namespace hasten::passes {

/// Chooses for this kind of target: of each cascade the first function for it that is known in this
/// process. Without a target all fallbacks.
core::Program choose_foreign(core::Program program, std::optional<detail::ForeignTarget> target);

}  // namespace hasten::passes
