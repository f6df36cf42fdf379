// Positions of elements in ascending order, by least-significant-digit radix sort.
#pragma once

#include <hasten/detail/scalar_type.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace hasten::backends::cpu {

/// Keys: components of unsigned integers or bool, compared in their order; first of equals first.
/// The rows along the innermost axis are sorted apart. Runs on `threads` threads of the current
/// task arena; the result does not depend on their number. O(n) per byte of the keys.
void sort_positions(std::span<const std::int64_t> extents,
                    std::span<const detail::ScalarType> types,
                    std::span<const std::byte* const> keys, std::int64_t* positions, int threads);

}  // namespace hasten::backends::cpu
