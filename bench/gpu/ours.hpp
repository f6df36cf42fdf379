// Hasten's side of the cases that the CPU benchmarks lack.
#pragma once

#include <cstdint>
#include <vector>

#include "../ours/collectives.hpp"

namespace bench::gpu {

/// 2 x + 1
Contender our_affine(const float* x, int64_t n, Sample<float> sample);
/// The sum of each row.
Contender our_rows_sum(const float* x, int64_t rows, int64_t columns, Sample<float> sample);
/// The sum that each of `size` places receives when element i is added to target[i].
Contender our_scatter_add(const uint32_t* x, const int32_t* target, int64_t n, int64_t size,
                          Sample<uint32_t> sample);
/// `steps` steps; each replaces an element by its mean with the next one. The first element follows
/// the last.
Contender our_loop(const float* x, int64_t n, int32_t steps, Sample<float> sample);

}  // namespace bench::gpu
