// Hasten as a contender: the programs of examples/programs on the same inputs.
#pragma once

#include <vector>

#include "forms.hpp"
#include "harness.hpp"

namespace bench {

// Each function returns the program as written, then with options that allow more.
std::vector<Contender> our_sum(const float* x, int64_t n);
std::vector<Contender> our_dot(const float* x, const float* y, int64_t n);
std::vector<Contender> our_saxpy(float a, const float* x, const float* y, int64_t n);
std::vector<Contender> our_black_scholes(contenders::OptionColumns options, int64_t n);
std::vector<Contender> our_nbody(contenders::BodyColumns bodies, int64_t n);
std::vector<Contender> our_mandelbrot(const contenders::Picture& picture);
std::vector<Contender> our_matmul(const float* a, const float* b, int64_t n);
std::vector<Contender> our_row_sums(const float* x, int64_t rows, int64_t n);
std::vector<Contender> our_sums_down(const float* x, int64_t rows, int64_t n);
std::vector<Contender> our_recurrence(const float* a, const float* b, int64_t n);
std::vector<Contender> our_softmax(const float* x, int64_t rows, int64_t n);
std::vector<Contender> our_nearest(const float* points, const float* centres, int64_t n, int64_t m,
                                   int64_t d);
std::vector<Contender> our_sobel(contenders::GreyImage image);

// A warm call of a compiled dot product of 1,000 pairs.
Contender our_small_call();

// Milliseconds to build a chain of `length` maps and run every pass that needs no machine (those of
// the interpreter) on it.
double our_front_end_ms(int64_t length);

}  // namespace bench
