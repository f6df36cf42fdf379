// Hasten as a contender in cases/by_index.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "everyday/by_index.hpp"
#include "harness.hpp"

namespace bench {

using SampleResult = std::vector<float> (*)(const float* data, int64_t n);

std::vector<Contender> our_indexed_column_sums(const float* a, int64_t rows, int64_t columns,
                                               SampleResult sample);
std::vector<Contender> our_indexed_attention(contenders::AttentionSizes, const float* q,
                                             const float* k, const float* v, SampleResult sample);
std::vector<Contender> our_indexed_nearest(const float* points, int64_t n, SampleResult sample);
std::vector<Contender> our_indexed_descent(const float* x, const float* y, int64_t rows,
                                           int64_t columns, int64_t rounds, float rate,
                                           SampleResult sample);
std::vector<Contender> our_indexed_transpose(const float* a, int64_t rows, int64_t columns,
                                             SampleResult sample);
std::vector<Contender> our_indexed_pixels(const float* planes, int64_t n, SampleResult sample);

}  // namespace bench
