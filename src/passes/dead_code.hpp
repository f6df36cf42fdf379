// Removes what no result depends on: statements, results of conditionals, array bindings.
#pragma once

#include "core/program.hpp"

#include <vector>

namespace hasten::passes {

/// The whole program. Arrays that are only asked for their extent stay.
core::Program remove_dead_code(core::Program program);

/// One region of scalar code; `value_count` exceeds every value in it. All its results are
/// wanted. Values used from outside are marked in the answer.
std::vector<bool> remove_dead_code(core::Region& region, std::size_t value_count);

}  // namespace hasten::passes
