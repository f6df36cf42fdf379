// Hasten's side of the everyday programs: those of examples/programs/everyday on the same inputs.
#pragma once

#include <string>
#include <vector>

#include "everyday/everyday.hpp"
#include "harness.hpp"

namespace bench {

std::vector<Contender> our_regression(const contenders::Observations& data, int64_t rounds,
                                      float rate);
std::vector<Contender> our_training(const contenders::NetworkSizes& sizes, float rate,
                                    const float* x, const int32_t* classes, const float* numbers);
std::vector<Contender> our_convolution(const contenders::ConvolutionSizes& sizes,
                                       const float* picture, const float* weights);
std::vector<Contender> our_lattice(const float* planes, int64_t rows, int64_t columns, float rate,
                                   int64_t steps);
std::vector<Contender> our_heat(const float* plate, int64_t rows, int64_t columns, float rate,
                                float hot, float cold, int64_t steps);
std::vector<Contender> our_barrier(int64_t paths, int64_t quarters, uint64_t key,
                                   const contenders::BarrierCall& option);
std::vector<Contender> our_top_customers(const int64_t* customers, const float* amounts, int64_t n);
std::vector<Contender> our_top_categories(int64_t count, const int32_t* categories,
                                          const float* amounts, int64_t n);
std::vector<Contender> our_neighbours(const contenders::Points& points);
std::vector<Contender> our_words(const char* text, int64_t n);

// The part of a long result that is kept for the comparison.
std::vector<float> thinned(const float* data, int64_t n);
inline constexpr int64_t top = 10;

}  // namespace bench
