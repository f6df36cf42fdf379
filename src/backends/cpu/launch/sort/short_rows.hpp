// Rows of a few keys of one component, by a network of comparisons without branches.
#pragma once

#include "backends/cpu/launch/sort/sort_keys.hpp"
#include "backends/cpu/launch/team.hpp"

#include <cstdint>

namespace hasten::backends::cpu {

/// The most keys in a row that is sorted this way.
inline constexpr std::int64_t network_most = 16;

/// The positions, in their rows, of the keys of `rows` rows of n keys, in ascending order; stable.
/// Keys of one component, at most network_most of them.
void order_short_rows(const Keys& keys, std::int64_t rows, std::int64_t n, std::int64_t* positions,
                      const Team& team);

}  // namespace hasten::backends::cpu
