// Stores that go past the caches where the launch says so.
#pragma once

#include "backends/cpu/emit/code.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace hasten::backends::cpu {

/// `store(true)`, with what the element reads asked for early, if `past_caches` (a scalar) holds,
/// else `store(false)`. A branch that always goes one way costs less than a second copy of the
/// loop.
void store_either_way(LaneCode& code, llvm::Value* past_caches, const kernels::Region& element,
                      llvm::function_ref<void(bool past_caches)> store);

}  // namespace hasten::backends::cpu
