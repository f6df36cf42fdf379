// Hasten's side of the cases that the benchmarks of the CPU do not have.
#pragma once

#include <cstdint>
#include <vector>

#include "../ours/collectives.hpp"

namespace bench::gpu {

/// 2 x + 1
Contender our_affine(const float* x, int64_t n, Sample<float> sample);
/// The sum of each row.
Contender our_rows_sum(const float* x, int64_t rows, int64_t columns, Sample<float> sample);
/// How much each of `size` places gets, when element i goes to target[i].
Contender our_scatter_add(const uint32_t* x, const int32_t* target, int64_t n, int64_t size,
                          Sample<uint32_t> sample);
/// So many steps, each the mean of an element and the next one, the last one's next the first.
Contender our_loop(const float* x, int64_t n, int32_t steps, Sample<float> sample);

}  // namespace bench::gpu
