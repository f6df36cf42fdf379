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

/// With Checks::bounds or Checks::arithmetic, a kernel that could fail is preceded by one that
/// finds out whether any of its elements does; its operators cannot fail (passes::check_operators).
/// Under Determinism::relaxed updates of one target may happen in any order; under FastMath::all
/// sums of floats are added in whatever order is cheapest.
Plan lower(core::Program program, Checks checks, Determinism determinism,
           FastMath fast_math = FastMath::none);

}  // namespace hasten::kernels
