// Inserts Free steps after the last use of each array.
#pragma once

#include "kernels/plan.hpp"

#include <vector>

namespace hasten::kernels {

/// The arrays that a step defines.
[[nodiscard]] std::vector<core::ArrayId> definitions(const Step& step);

/// Frees the arrays defined in `steps` (not those of enclosing lists), in nested lists too. `kept`
/// are still needed after the list; `given` are defined outside and needed by nobody else. An array
/// that is copied or overwritten but needed later keeps its memory (Launch::reused,
/// Launch::overwritable).
void insert_frees(Steps& steps, const std::vector<core::ArrayId>& kept,
                  const std::vector<core::ArrayId>& given = {});

}  // namespace hasten::kernels
