// before: a sort of a vector, and functions that read other vectors at the positions it gives
//           p = pos[i]; x = xs[p]
// after:  the sort carries these vectors, and what it makes of them is read
//           x = sorted_xs[i]
// why:    a sort moves an element with its key for less than a gather by position costs afterwards;
//         often positions are not needed then. Between devices elements go once from the one that
//         has them to the one that needs them.
// needs:  prove_reads
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

/// Vectors of which the program puts all elements in order.
[[nodiscard]] core::Program carry_gathers(core::Program program);
/// For devices: a read at any position would need all of the vector on each. So all vectors that
/// are read, also by what reads at the first positions alone.
[[nodiscard]] core::Program carry_all_gathers(core::Program program);

}  // namespace hasten::passes
