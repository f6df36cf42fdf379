// Replaces equal array operations by one: the first, where it is in scope.
//
// before: %1 = map %0 (x0) { x1 = add x0 x9; -> x1 }; %2 = map %0 (x2) { x3 = add x2 x9; -> x3 }
// after:  %1 = map %0 (x0) { x1 = add x0 x9; -> x1 }  (%2 is %1)
//         Likewise extents that are equal whatever the sizes.
// why:    sharing recovery finds equal code that was written, this pass finds code made equal by
//         other passes
// needs:  simplified functions: they are compared statement by statement, not by meaning
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

/// An operation replaces a later one that it dominates, so partial operations run where one of the
/// two did. Branches, loops and foreign code are searched, and never shared.
core::Program share_equal_arrays(core::Program program);

}  // namespace hasten::passes
