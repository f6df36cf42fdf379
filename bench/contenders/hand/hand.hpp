// The programs with explicit vectors; forms.cpp sorts them into tables. Compiled twice,
// without contraction as namespace hand_strict.
#pragma once

#include "forms.hpp"

#ifndef CONTENDER_HAND
#define CONTENDER_HAND hand
#endif

namespace contenders::CONTENDER_HAND {

float sum(const float* x, int64_t n);
float dot(const float* x, const float* y, int64_t n);
float dot_prefetch(const float* x, const float* y, int64_t n);
void saxpy(float a, const float* x, const float* y, float* out, int64_t n);
void saxpy_stream(float a, const float* x, const float* y, float* out, int64_t n);

// Own polynomials for exp and log. "Approximate" also takes divisions and roots from rough
// reciprocals and a Newton step; "stream" writes around the cache.
void black_scholes(OptionColumns, PriceColumns, int64_t begin, int64_t end);
void black_scholes_approximate(OptionColumns, PriceColumns, int64_t begin, int64_t end);
void black_scholes_stream(OptionColumns, PriceColumns, int64_t begin, int64_t end);
void black_scholes_approximate_stream(OptionColumns, PriceColumns, int64_t begin, int64_t end);
void black_scholes_sleef(OptionColumns, PriceColumns, int64_t begin, int64_t end);

void nbody(BodyColumns, int64_t n, AccelerationColumns, int64_t begin, int64_t end);
// The root and its third power from an estimate: within two units of the last place.
void nbody_estimate(BodyColumns, int64_t n, AccelerationColumns, int64_t begin, int64_t end);

void mandelbrot(const Picture&, int32_t* steps, int64_t begin_row, int64_t end_row);

void sobel(GreyImage, float* out, int64_t begin_row, int64_t end_row);
void sobel_prefetch(GreyImage, float* out, int64_t begin_row, int64_t end_row);
void sobel_stream(GreyImage, float* out, int64_t begin_row, int64_t end_row);

}  // namespace contenders::CONTENDER_HAND

namespace contenders::hand {

// c = a b for square row-major matrices, packed and tiled, on all threads.
void matmul(const float* a, const float* b, float* c, int64_t n);
// Of rows of 4, 8 or 16, a multiple of 16 of them.
void row_sums(const float* x, float* out, int64_t rows, int64_t n);
// Of each row; n is a multiple of 16.
void sums_down(const float* x, float* out, int64_t rows, int64_t n);
void recurrence(const float* a, const float* b, float* out, int64_t n);
void softmax(const float* x, float* out, int64_t rows, int64_t n);
// Which of m centres is nearest to each of n points, a multiple of 16, in d <= 64 dimensions.
void nearest(const float* points, const float* centres, int32_t* out, int64_t n, int64_t m,
             int64_t d);

}  // namespace contenders::hand
