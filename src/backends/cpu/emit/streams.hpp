// Stores that go past the caches where the launch says so.
#pragma once

#include "backends/cpu/emit/code.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace hasten::backends::cpu {

/// Emits `store(true)`, with early prefetches of what the element reads, for the case that
/// `past_caches` (a scalar) holds, and `store(false)` for the other. A branch that always goes the
/// same way costs less than a second copy of the loop.
void store_either_way(LaneCode& code, llvm::Value* past_caches, const kernels::Region& element,
                      llvm::function_ref<void(bool past_caches)> store);

}  // namespace hasten::backends::cpu
