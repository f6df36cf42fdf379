// Hasten as a contender in cases/pushes.cpp: programs of pull and push arrays, and of plain ones
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

}  // namespace bench
