// Which reads are worth asking for early: a stencil's newest row.
//
// Reads of several rows of one array at once are more streams than the hardware follows. All of
// them but the one furthest ahead repeat what was read for earlier rows; that one is prefetched. It
// pays where memory is the limit (Sobel), and costs little where it is not.
#pragma once

#include "kernels/kernel.hpp"

#include <vector>

namespace hasten::backends::cpu {

/// The size of a cache line.
inline constexpr std::size_t line_bytes = 64;

/// How far ahead of its use memory is asked for.
inline constexpr std::int64_t prefetch_bytes = 2048;

/// By value: what is read in `element` by one of the reads to be prefetched.
std::vector<bool> reads_ahead(const kernels::Kernel& kernel, const kernels::Region& element);

}  // namespace hasten::backends::cpu
