// The programs in their most direct form, on one thread. The fast forms are checked against them,
// so sums accumulate in double.
#pragma once

#include "forms.hpp"

namespace contenders::plain {

double sum(const float* x, int64_t n);
double dot(const float* x, const float* y, int64_t n);
void saxpy(float a, const float* x, const float* y, float* out, int64_t n);
void black_scholes(OptionColumns, PriceColumns, int64_t n);
void nbody(BodyColumns, AccelerationColumns, int64_t n);
void mandelbrot(const Picture&, int32_t* steps);
void matmul(const float* a, const float* b, float* c, int64_t n);
void row_sums(const float* x, float* out, int64_t rows, int64_t n);
void sums_down(const float* x, float* out, int64_t rows, int64_t n);
void recurrence(const float* a, const float* b, float* out, int64_t n);
void softmax(const float* x, float* out, int64_t rows, int64_t n);
void nearest(const float* points, const float* centres, int32_t* out, int64_t n, int64_t m,
             int64_t d);
void sobel(GreyImage, float* out);

}  // namespace contenders::plain
