// After how many steps along an axis a region does the same again with other elements: pixels of
// three channels, samples of two arrays in turns, four letters of three bytes.
#pragma once

#include "kernels/kernel.hpp"

#include <cstdint>

namespace hasten::kernels {

inline constexpr std::int64_t index_period_max = 8;

/// The least common multiple of the small constants that divide the index at params[axis], or its
/// sum with a constant, where that pays: remainders choose branches that read or cost much, or what
/// is read, or the constants are no powers of two. 1: there are none, or together they exceed
/// index_period_max. Linear in the size of the region.
[[nodiscard]] std::int64_t index_period(const Kernel& kernel, const Region& region,
                                        std::size_t axis);

}  // namespace hasten::kernels
