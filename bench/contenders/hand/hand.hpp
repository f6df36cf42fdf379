// The programs with explicit vectors; forms.cpp puts them into tables. They are compiled twice; the
// compilation without contraction is namespace hand_strict.
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

// exp and log by own polynomials. "Approximate" also computes divisions and roots by rough
// reciprocals and a Newton step; "stream" stores past the cache.
void black_scholes(OptionColumns, PriceColumns, int64_t begin, int64_t end);
void black_scholes_approximate(OptionColumns, PriceColumns, int64_t begin, int64_t end);
void black_scholes_stream(OptionColumns, PriceColumns, int64_t begin, int64_t end);
void black_scholes_approximate_stream(OptionColumns, PriceColumns, int64_t begin, int64_t end);
void black_scholes_sleef(OptionColumns, PriceColumns, int64_t begin, int64_t end);

void nbody(BodyColumns, int64_t n, AccelerationColumns, int64_t begin, int64_t end);
// The root's third power from an estimate: within two units of the last place.
void nbody_estimate(BodyColumns, int64_t n, AccelerationColumns, int64_t begin, int64_t end);

void mandelbrot(const Picture&, int32_t* steps, int64_t begin_row, int64_t end_row);

void sobel(GreyImage, float* out, int64_t begin_row, int64_t end_row);
void sobel_prefetch(GreyImage, float* out, int64_t begin_row, int64_t end_row);
void sobel_stream(GreyImage, float* out, int64_t begin_row, int64_t end_row);

}  // namespace contenders::CONTENDER_HAND

namespace contenders::hand {

// c = a b for square row-major matrices, packed and tiled, on all threads.
void matmul(const float* a, const float* b, float* c, int64_t n);
// Rows of 4, 8 or 16 elements; the number of rows is a multiple of 16.
void row_sums(const float* x, float* out, int64_t rows, int64_t n);
// For each row; n is a multiple of 16.
void sums_down(const float* x, float* out, int64_t rows, int64_t n);
void recurrence(const float* a, const float* b, float* out, int64_t n);
void softmax(const float* x, float* out, int64_t rows, int64_t n);
// The nearest of m centres for each of n points, n a multiple of 16, in d <= 64 dimensions.
void nearest(const float* points, const float* centres, int32_t* out, int64_t n, int64_t m,
             int64_t d);

}  // namespace contenders::hand
