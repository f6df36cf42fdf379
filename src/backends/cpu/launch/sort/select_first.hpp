// Finds the first few positions in the order of their keys, without sorting all.
#pragma once

#include "backends/cpu/launch/sort/chunks.hpp"
#include "backends/cpu/launch/sort/sort_keys.hpp"

#include <cstdint>

namespace hasten::backends::cpu {

/// positions[i] for i < count: the position of the i-th key of the row that begins at element
/// `first` of every component, as in a stable sort of the row's chunks.size keys. Returns false,
/// and writes nothing, if a full sort is as fast: for many positions, or where a sample of the keys
/// misleads. O(n), one pass over the first component; a bound from a sample as in Floyd and Rivest,
/// "Expected time bounds for selection" (1975), but one-sided.
bool select_first(const Keys& keys, std::int64_t first, const Chunks& chunks, std::int64_t count,
                  std::int64_t* positions);

}  // namespace hasten::backends::cpu
