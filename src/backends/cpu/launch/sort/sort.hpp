// Positions of elements in ascending order, and elements in that order, by radix sort.
#pragma once

#include "backends/cpu/launch/team.hpp"
#include "backends/sorted_keys.hpp"

#include <hasten/detail/scalar_type.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hasten::backends::cpu {

/// Keys: components of unsigned integers or bool, compared in their order; stable. Each row along
/// the innermost axis is sorted separately. The result does not depend on the number of threads.
/// O(n) per byte of the keys.
void sort_positions(std::span<const std::int64_t> extents,
                    std::span<const detail::ScalarType> types,
                    std::span<const std::byte* const> keys, const SortedKeys& to, const Team& team);
using SortFunction = decltype(&sort_positions);

}  // namespace hasten::backends::cpu
