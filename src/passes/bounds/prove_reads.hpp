// Finds the indices that are in range wherever they are used.
//
// before: generate [n] (i) { ... load %a.0 [i] ... load %a.0 [x] }, where %a has the extent n
// after:  ... load %a.0 [i] inside 0 ... load %a.0 [x]
// why:    all other indices are clamped, or checked, when they are used
// needs:  simplified index arithmetic; all arrays as the user has them: fusion evaluates a producer
//         only at indices that it has, so that what is shown here of each function stays true
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

[[nodiscard]] core::Program prove_reads(core::Program program);

}  // namespace hasten::passes
