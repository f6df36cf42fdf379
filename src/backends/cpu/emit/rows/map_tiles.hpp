// Maps with loops that lanes leave at different times: lanes are a tile of some rows.
//
// All lanes wait for the slowest one, and the elements of a tile are nearer to each other than as
// many of a row: their loops are more alike.
#pragma once

#include "backends/cpu/emit/code.hpp"
#include "kernels/schedule.hpp"

namespace hasten::backends::cpu {

/// A function of type RunFunction for so many rows that tiles of them leave none.
void emit_map_tiles(const KernelModule& module, llvm::Function* function,
                    const kernels::Schedule& schedule);

}  // namespace hasten::backends::cpu
