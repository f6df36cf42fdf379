// Mathematical functions of the library's own, for the same bits on every target.
//
// before: exp, sin, pow and the like, which each target computes as it can
// after:  none of them: code made of IEEE operations, which has the same bits everywhere
// why:    Determinism::everywhere promises that; so no code generator needs to know of it
// needs:  nothing. To be run before constants are folded, for these are folded by the C library
// provides: scalar code of exact or exactly rounded operations alone; NaNs are any NaN
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

/// Replaces all such operations, on every type of floats; sqrt, fmod and what rounds to whole
/// numbers are exact as they are. Numbers of f16, bf16 and f32 are computed as f64 and rounded.
core::Program with_own_math(core::Program program);

}  // namespace hasten::passes
