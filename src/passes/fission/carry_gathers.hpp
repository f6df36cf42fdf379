// before: a sort of a vector, and functions that read other vectors at the positions it gives
//           p = pos[i]; x = xs[p]
// after:  the sort carries these vectors, and what it makes of them is read
//           x = sorted_xs[i]
// why:    elements go once from the device that has them to the one that needs them; a read at any
//         position would need all of the vector on each device
// needs:  prove_reads
#pragma once

#include "core/program.hpp"

namespace hasten::passes::fission {

[[nodiscard]] core::Program carry_gathers(core::Program program);

}  // namespace hasten::passes::fission
