// Maps with loops that lanes leave at different times: the lanes form a tile of a few rows.
//
// All lanes wait for the slowest one, and the elements of a tile are nearer to each other than as
// many elements of one row, so their loops are more alike.
#pragma once

#include "backends/cpu/emit/code.hpp"
#include "kernels/schedule.hpp"

namespace hasten::backends::cpu {

/// A function of type RunFunction for a number of rows that is a multiple of the tile's.
void emit_map_tiles(const KernelModule& module, llvm::Function* function,
                    const kernels::Schedule& schedule);

}  // namespace hasten::backends::cpu
