// Hasten as a contender in cases/pushes.cpp: programs of pull and push arrays, and of plain arrays
// (the setting "plain").
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "contenders.hpp"
#include "harness.hpp"

namespace bench {

using SampleFloats = std::vector<float> (*)(const float* data, int64_t n);

std::vector<Contender> our_pairs(const float* x, int64_t n, SampleFloats sample);
std::vector<Contender> our_parts(const float* x, int64_t n, SampleFloats sample);
std::vector<Contender> our_pulled_blur(contenders::GreyImage image, SampleFloats sample);
std::vector<Contender> our_butterflies(const std::complex<float>* x, int64_t n,
                                       std::vector<float> (*sample)(const std::complex<float>* data,
                                                                    int64_t n));
std::vector<Contender> our_pulled_edges(contenders::GreyImage image, SampleFloats sample);
std::vector<Contender> our_pulled_matmul(const float* a, const float* b, int64_t n,
                                         SampleFloats sample);
std::vector<Contender> our_pulled_mandelbrot(const contenders::Picture& picture,
                                             std::vector<float> (*sample)(const int32_t* data,
                                                                          int64_t n));
std::vector<Contender> our_bitonic(const float* x, int64_t n, SampleFloats sample);
std::vector<Contender> our_pascal(int64_t rows, const float* x, int64_t n, SampleFloats sample);

}  // namespace bench
