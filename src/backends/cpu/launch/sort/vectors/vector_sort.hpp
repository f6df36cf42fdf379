// Sorts words by comparing vectors of them, on processors with AVX2 or AVX-512.
//
// A quicksort whose partitions divide vectors between both ends of the words, in place, and whose
// last parts are sorted by networks (Batcher, 1968; after Gueron and Krasnov, 2016, and Bramas,
// 2017).
#pragma once

#include <cstdint>

namespace hasten::backends::cpu {

/// Whether the processor supports this, and HASTEN_CPU_WIDTH permits it.
[[nodiscard]] bool sorts_by_vectors();

/// In ascending order. Only where sorts_by_vectors(). O(n log n), even with bad pivots.
void sort_by_vectors(std::uint32_t* words, std::int64_t n);
void sort_by_vectors(std::uint64_t* words, std::int64_t n);
/// Stores the words of `from` in ascending order to `to`, which must not overlap it.
void sort_by_vectors(const std::uint32_t* from, std::uint32_t* to, std::int64_t n);
void sort_by_vectors(const std::uint64_t* from, std::uint64_t* to, std::int64_t n);

/// Whether the processor divides words by the vectors that it has. Then, for 8 or 16 parts and one
/// bound fewer, in ascending order: part p has the words from bounds[p - 1] on and below bounds[p].
[[nodiscard]] bool divides_by_vectors();
/// counts[p]: the words of part p.
void count_by_vectors(const std::uint32_t* from, std::int64_t n, const std::uint32_t* bounds,
                      int parts, std::int64_t* counts);
void count_by_vectors(const std::uint64_t* from, std::int64_t n, const std::uint64_t* bounds,
                      int parts, std::int64_t* counts);
/// Stores the words of part p from to[p] up to ends[p].
void divide_by_vectors(const std::uint32_t* from, std::int64_t n, const std::uint32_t* bounds,
                       int parts, std::uint32_t* const* to, std::uint32_t* const* ends);
void divide_by_vectors(const std::uint64_t* from, std::int64_t n, const std::uint64_t* bounds,
                       int parts, std::uint64_t* const* to, std::uint64_t* const* ends);

}  // namespace hasten::backends::cpu
