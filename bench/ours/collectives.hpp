// Hasten as a contender in cases/collectives.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "forms.hpp"
#include "harness.hpp"

namespace bench {

/// Takes the part of a result that is compared.
template <class T>
using Sample = std::vector<float> (*)(const T* data, int64_t n);

std::vector<Contender> our_blur(contenders::GreyImage image, Sample<float> sample);
Contender our_scan(const float* x, int64_t n, Sample<float> sample);
Contender our_filter(const int32_t* x, int64_t n, Sample<int32_t> sample);
Contender our_segmented_sum(const float* x, int64_t n, const std::vector<int32_t>& lengths,
                            Sample<float> sample);
Contender our_histogram(int64_t bins, const int32_t* keys, int64_t n, Sample<int64_t> sample);
/// The program as written, and with updates in any order.
std::vector<Contender> our_scatter_adds(int64_t bins, const int32_t* keys, const float* x,
                                        int64_t n, Sample<float> sample);
Contender our_sort(const uint32_t* x, int64_t n, Sample<uint32_t> sample);
Contender our_float_sort(const float* x, int64_t n, Sample<float> sample);
/// Samples the values.
Contender our_pair_sort(const uint32_t* keys, const uint32_t* values, int64_t n,
                        Sample<uint32_t> sample);
Contender our_row_sort(const uint32_t* x, int64_t rows, int64_t n, Sample<uint32_t> sample);
/// 20 rounds of x - x * x / 4, starting from x.
Contender our_damping(const float* x, int64_t n, Sample<float> sample);
Contender our_permute(const float* x, const int32_t* target, int64_t n, Sample<float> sample);

}  // namespace bench
