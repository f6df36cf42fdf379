// before: a sort of a vector, and functions that read other vectors at the positions it yields
//           p = pos[i]; x = xs[p]
// after:  the sort carries these vectors, and their sorted copies are read
//           x = sorted_xs[i]
// why:    a sort moves an element with its key for less than a later gather by position costs;
//         often the positions are not needed then. Between devices each element moves once, from
//         the device that has it to the one that needs it.
// needs:  prove_reads
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

/// Carries vectors of which the program puts all elements in order.
[[nodiscard]] core::Program carry_gathers(core::Program program);
/// For devices, where a read at any position would need the whole vector on each. So it carries all
/// vectors that are read, including those read only at the first positions.
[[nodiscard]] core::Program carry_all_gathers(core::Program program);

}  // namespace hasten::passes
