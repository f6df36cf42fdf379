// Array operations that have become equal are one: the first, where it is in scope.
//
// before: %1 = map %0 (x0) { x1 = add x0 x9; -> x1 }; %2 = map %0 (x2) { x3 = add x2 x9; -> x3 }
// after:  %1 = map %0 (x0) { x1 = add x0 x9; -> x1 }  (%2 is %1)
//         Likewise extents that are equal whatever the sizes.
// why:    sharing recovery finds what was written alike, this what other passes made alike
// needs:  simplified functions: they are compared statement by statement, not by meaning
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

/// An operation takes the place of a later one that it dominates, so partial operations run where
/// one of the two did. Branches, loops and foreign code are looked into, and never shared.
core::Program share_equal_arrays(core::Program program);

}  // namespace hasten::passes
