// Makes folds stages of a consumer's kernel: the kernel folds a row, and uses the result for the
// row's elements, or folds it further.
//
// before: m = maximum a; e = map exp (a - replicate m); s = sum e; result = e / replicate s
// after:  the same, m, e and s delayed and the result manifest
// why:    rows stay in the cache, or in registers, between their stages; one launch in place of
//         three
// needs:  nothing; `fuse` decides on the bindings left undecided
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program find_stages(core::Program program);

}  // namespace hasten::passes
