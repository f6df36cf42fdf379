// The library's own mathematical functions, which have the same bits on every target.
//
// before: exp, sin, pow and the like, which each target computes in its own way
// after:  none of them: code made of IEEE operations, which has the same bits everywhere
// why:    Determinism::everywhere promises this, and no code generator needs to know of it
// needs:  to run before constants are folded, because the C library folds them
// provides: scalar code of exact or exactly rounded operations only; NaNs may be any NaN
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

/// Replaces all such operations, on every type of floats; sqrt, fmod and rounding to whole numbers
/// are exact as they are. Numbers of f16, bf16 and f32 are computed as f64 and rounded.
core::Program with_own_math(core::Program program);

}  // namespace hasten::passes
