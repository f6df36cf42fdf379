// Lowering: a fused program becomes kernels and a plan.
//
// in:  a core program whose bindings are manifest or delayed, without literal slots
// out: a Plan; equal kernels occur once
//
// Extents of delayed arrays become host scalars; whole-array conditions become check steps, fused
// or not; arrays are freed after their last use.
#pragma once

#include "kernels/plan.hpp"

#include <hasten/options.hpp>

namespace hasten::kernels {

Plan lower(core::Program program, Checks checks);

}  // namespace hasten::kernels
