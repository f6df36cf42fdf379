// Folds of axes with few elements, whose number the program says, are written out.
//
// before: s = fold1 max x, where x has 3 elements along the folded axis whatever the sizes
// after:  s = generate (i) -> max(max(x[i, 0], x[i, 1]), x[i, 2])
// why:    what a kernel folds axis by axis, as the blocks of a picture are, takes a loop of two
//         steps for each result and each axis; written out, it is a map with neighbours in lanes
// needs:  elements that cost little, for each may be computed where it is read
//
// In order, as rows that are short are folded everywhere.
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program write_out_short_folds(core::Program program);

}  // namespace hasten::passes
