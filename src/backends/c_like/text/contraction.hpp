// How a group folds a rectangle of a contraction's results: a rectangle for each item, and chunks
// of what rows and columns share in local memory.
#pragma once

#include "backends/c_like/text/skeletons.hpp"
#include "kernels/analysis/contraction.hpp"

namespace hasten::backends::c_like {

struct ContractionPlan : kernels::Contraction {
  std::int64_t deep = 0;  // elements of the folded axis in a chunk; 0: nothing is shared
};

/// Two chunks of each shared value are in local memory: while one is folded, the next one comes.
inline constexpr std::int64_t contraction_local_bytes = 24576;
/// After every row of a chunk in local memory, so that a column does not lie in one bank.
inline constexpr std::int64_t contraction_gap = 4;

/// Of a kernel that is a contraction. `deep` is 0 where chunks do not fit into local memory.
[[nodiscard]] ContractionPlan contraction_plan(const Kernel& kernel, const ContractionTile& tile);

}  // namespace hasten::backends::c_like
