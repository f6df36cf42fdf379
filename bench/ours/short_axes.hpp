// Hasten as a contender in cases/short_axes.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "forms.hpp"
#include "harness.hpp"

namespace bench {

using SampleFloats = std::vector<float> (*)(const float* data, int64_t n);

std::vector<Contender> our_pool(contenders::GreyImage image, SampleFloats sample);
std::vector<Contender> our_enlargement(contenders::GreyImage image, SampleFloats sample);
std::vector<Contender> our_grey(const float* rgb, int64_t n, SampleFloats sample);
std::vector<Contender> our_channel_sums(const float* rgb, int64_t n, SampleFloats sample);
std::vector<Contender> our_opaque(const float* rgb, int64_t n, SampleFloats sample);
std::vector<Contender> our_slopes(const float* rgb, int64_t height, int64_t width,
                                  SampleFloats sample);
std::vector<Contender> our_features(const float* in, int64_t height, int64_t width,
                                    SampleFloats sample);
std::vector<Contender> our_frame_sums(const float* in, int64_t n, int64_t height, int64_t width,
                                      SampleFloats sample);
std::vector<Contender> our_points(const float* in, const float* matrix, int64_t n,
                                  SampleFloats sample);
std::vector<Contender> our_largest_so_far(const float* in, int64_t rows, int64_t columns,
                                          SampleFloats sample);
std::vector<Contender> our_five_largest(const float* in, int64_t rows, int64_t columns,
                                        SampleFloats sample);
std::vector<Contender> our_segment_scans(const float* in, int64_t n, const int32_t* lengths,
                                         int64_t segments, SampleFloats sample);
std::vector<Contender> our_shares(const float* in, int64_t n, const int32_t* lengths,
                                  int64_t segments, SampleFloats sample);
std::vector<Contender> our_expand(const float* base, const int32_t* lengths, int64_t segments,
                                  SampleFloats sample);
// For n matrices of 3 x 3.
std::vector<Contender> our_small_transposes(const float* a, int64_t n, SampleFloats sample);
std::vector<Contender> our_small_products(const float* a, const float* b, int64_t n,
                                          SampleFloats sample);
std::vector<Contender> our_block_sums(const float* a, int64_t n, SampleFloats sample);
std::vector<Contender> our_turns(const float* a, const float* b, int64_t n, SampleFloats sample);
// The count and the sum for each key that occurs, as floats.
std::vector<Contender> our_key_counts(const int32_t* keys, int64_t n);
std::vector<Contender> our_key_sums(const int32_t* keys, const float* x, int64_t n);
std::vector<Contender> our_group_sums(int64_t groups, const int32_t* keys, const float* x,
                                      int64_t n);

}  // namespace bench
