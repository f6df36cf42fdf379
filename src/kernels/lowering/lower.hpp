// Lowering: a fused program becomes kernels and a plan.
//
// in:  a core program whose bindings are manifest or delayed, without literal slots
// out: a Plan; equal kernels occur once
//
// Extents of delayed arrays become host scalars; whole-array conditions become check steps, fused
// or not; arrays are freed after their last use.
#pragma once

#include "kernels/plan.hpp"

#include <hasten/run/options.hpp>

namespace hasten::kernels {

/// With Checks::bounds or Checks::arithmetic, a kernel that could fail has one before it that finds
/// out whether any of its elements does; its operators cannot (passes::check_operators).
/// Under Determinism::relaxed updates of one target may happen in any order; under FastMath::all
/// sums of floats are added in the order that suits.
Plan lower(core::Program program, Checks checks, Determinism determinism,
           FastMath fast_math = FastMath::none);

}  // namespace hasten::kernels
