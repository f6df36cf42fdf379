// Hand-written collectives: whole programs on all threads, in each of the forms known to be
// fastest.
#pragma once

#include <vector>

#include "contenders.hpp"

namespace contenders {

/// The mean of 5 x 5 points; beyond the border, the nearest point is used.
std::vector<Named<void(GreyImage, float* out)>> blurs();
/// out[i] = x[0] + ... + x[i]
std::vector<Named<void(const float* x, float* out, int64_t n)>> scans();
/// Keeps the positive numbers, in order; returns how many there are.
std::vector<Named<int64_t(const int32_t* x, int32_t* out, int64_t n)>> filters();
/// The sum of each of `segments` consecutive segments; `offsets` has one element more.
std::vector<Named<void(const float* x, const int64_t* offsets, float* out, int64_t segments)>>
segmented_sums();
/// How often each key occurs; all keys are below `bins`.
std::vector<Named<void(const int32_t* keys, int64_t* counts, int64_t bins, int64_t n)>>
histograms();
/// sums[keys[i]] += x[i], from 0; keys are below `bins`.
std::vector<Named<void(const int32_t* keys, const float* x, float* sums, int64_t bins, int64_t n)>>
scatter_adds();
/// Sorts in ascending order.
std::vector<Named<void(const uint32_t* x, uint32_t* out, int64_t n)>> sorts();
std::vector<Named<void(const float* x, float* out, int64_t n)>> float_sorts();
/// Sorts pairs by their keys; pairs of equal keys keep their order.
using PairSort = void(const uint32_t* keys, const uint32_t* values, uint32_t* keys_out,
                      uint32_t* values_out, int64_t n);
std::vector<Named<PairSort>> pair_sorts();
std::vector<Named<void(const uint32_t* x, uint32_t* out, int64_t rows, int64_t n)>> row_sorts();
/// `rounds` rounds of x - x * x / 4; all but the first in place.
std::vector<Named<void(const float* x, float* out, int64_t n, int64_t rounds)>> dampings();
/// out[target[i]] = x[i]; no two targets are equal.
std::vector<Named<void(const float* x, const int32_t* target, float* out, int64_t n)>>
permutations();
/// out[2 i] = x[i] + 1 and out[2 i + 1] = x[i] / 2
std::vector<Named<void(const float* x, float* out, int64_t n)>> pairs_side_by_side();

}  // namespace contenders

/// The same on one thread, in the most direct way.
namespace contenders::plain {

void blur(GreyImage, float* out);
void scan(const float* x, float* out, int64_t n);
int64_t filter(const int32_t* x, int32_t* out, int64_t n);
void segmented_sum(const float* x, const int64_t* offsets, float* out, int64_t segments);
void histogram(const int32_t* keys, int64_t* counts, int64_t bins, int64_t n);
void scatter_add(const int32_t* keys, const float* x, float* sums, int64_t bins, int64_t n);
void sort(const uint32_t* x, uint32_t* out, int64_t n);
void sort_floats(const float* x, float* out, int64_t n);
void sort_pairs(const uint32_t* keys, const uint32_t* values, uint32_t* keys_out,
                uint32_t* values_out, int64_t n);
void sort_rows(const uint32_t* x, uint32_t* out, int64_t rows, int64_t n);
void damp(const float* x, float* out, int64_t n, int64_t rounds);
void permute(const float* x, const int32_t* target, float* out, int64_t n);

}  // namespace contenders::plain
