// Unrolls folds of axes with few elements, whose number is a constant of the program.
//
// before: s = fold1 max x, where x has 3 elements along the folded axis whatever the sizes
// after:  s = generate (i) -> max(max(x[i, 0], x[i, 1]), x[i, 2])
// why:    a kernel that folds axis by axis, such as the blocks of an image, runs a loop of two
//         steps for each result and each axis; unrolled, it is a map with neighbours in lanes
// needs:  elements that cost little, because each may be computed where it is read
//
// In order, as short rows are folded everywhere.
#pragma once

#include "core/program.hpp"

#include <cstdint>

namespace hasten::passes {

/// The most elements along an axis.
inline constexpr std::int64_t short_fold_max = 4;

core::Program write_out_short_folds(core::Program program);

}  // namespace hasten::passes
