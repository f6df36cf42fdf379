// Which parts of a contraction's element are the same for a whole row, or a whole column, of
// results: a group computes those once and shares them through local memory.
#pragma once

#include "backends/c_like/skeletons.hpp"

namespace hasten::backends::c_like {

/// What an element needs that depends on one of the two axes (and on the folded one).
struct ContractionSide {
  Region shared;            // params as Kernel::element; results: what is shared
  bool along_fold = false;  // where neighbours of a chunk are: along the folded axis, or its own
};

struct ContractionPlan {
  ContractionSide down, across;
  Region rest;            // what the shared values leave of the element
  std::int64_t deep = 0;  // elements of the folded axis in a chunk; 0: nothing is shared
};

/// Two chunks of each shared value are in local memory: while one is folded, the next one comes.
inline constexpr std::int64_t contraction_local_bytes = 24576;
/// After every row of a chunk in local memory, so that a column does not lie in one bank.
inline constexpr std::int64_t contraction_gap = 4;

/// `deep` is 0 where chunks do not fit into local memory.
[[nodiscard]] ContractionPlan contraction_plan(const Kernel& kernel, const ContractionTile& tile);

}  // namespace hasten::backends::c_like
