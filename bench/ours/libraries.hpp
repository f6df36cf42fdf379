// Hasten as a contender in cases/libraries.cpp: each case with the machine's library, and computed
// in the language (the setting "language").
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "harness.hpp"

namespace bench {

/// The product of two square matrices.
std::vector<Contender> our_gemm(const float* a, const float* b, int64_t n,
                                std::vector<float> (*sample)(const float* data, int64_t n));
/// The transform of a vector, forward.
std::vector<Contender> our_fft(const std::complex<float>* x, int64_t n,
                               std::vector<float> (*sample)(const std::complex<float>* data,
                                                            int64_t n));

}  // namespace bench
