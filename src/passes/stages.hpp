// Folds that become stages of a consumer's kernel: what is folded of a row, the same kernel uses
// for the row's elements, or folds further.
//
// before: m = maximum a; e = map exp (a - replicate m); s = sum e; result = e / replicate s
// after:  the same, m, e and s delayed and the result manifest
// why:    rows stay in the cache, or in registers, between their stages; one launch instead of
// three needs:  nothing; `fuse` decides on what is left undecided
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program find_stages(core::Program program);

}  // namespace hasten::passes
