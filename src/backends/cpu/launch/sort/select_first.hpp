// The first few positions in the order of their keys, without a sort of all.
#pragma once

#include "backends/cpu/launch/sort/radix_sort.hpp"
#include "backends/cpu/launch/sort/sort_keys.hpp"

#include <cstdint>

namespace hasten::backends::cpu {

/// positions[i] for i < count: where the i-th key of the row stands that begins at element `first`
/// of every component, as a stable sort of the row's chunks.size keys would give it. False, and
/// nothing is written, if a sort of all is as good: of many positions, or where a sample of the
/// keys misleads. O(n), once through the first component; a bound from a sample as in Floyd and
/// Rivest, "Expected time bounds for selection" (1975), but of one side.
bool select_first(const Keys& keys, std::int64_t first, const Chunks& chunks, std::int64_t count,
                  std::int64_t* positions);

}  // namespace hasten::backends::cpu
