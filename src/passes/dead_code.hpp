// Removes what no result depends on: statements, results of conditionals, array bindings.
#pragma once

#include "core/program.hpp"

#include <vector>

namespace hasten::passes {

/// The whole program. Arrays of which only the extent is used stay.
core::Program remove_dead_code(core::Program program);

/// One region of scalar code; `value_count` exceeds every value in it. All its results are kept.
/// Returns which values from outside it uses.
std::vector<bool> remove_dead_code(core::Region& region, std::size_t value_count);

}  // namespace hasten::passes
