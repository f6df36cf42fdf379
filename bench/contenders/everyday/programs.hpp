// The functions that forms.cpp puts into a table, in a separate namespace for each compilation.
#pragma once

#include "everyday/everyday.hpp"

#ifndef CONTENDER_EVERYDAY
#define CONTENDER_EVERYDAY everyday_o3
#endif

#define CONTENDER_JOINED(a, b) a##b
#define CONTENDER_SPACE_OF(form) CONTENDER_JOINED(programs_of_, form)
#define CONTENDER_SPACE CONTENDER_SPACE_OF(CONTENDER_EVERYDAY)

namespace contenders::CONTENDER_SPACE {

void regression(Observations, int64_t rounds, float rate, float* weights);
void train(NetworkSizes, float rate, const float* x, const int32_t* classes, const float* before,
           float* after);
void convolve(ConvolutionSizes, const float* picture, const float* weights, float* out);
void lattice(const float* start, float* result, float* scratch, int64_t rows, int64_t columns,
             float rate, int64_t steps);
void heat(const float* start, float* result, float* scratch, int64_t rows, int64_t columns,
          float rate, float hot, float cold, int64_t steps);
float barrier(int64_t paths, int64_t quarters, uint64_t key, BarrierCall option);
TopTotals top_customers(int64_t how_many, const int64_t* customers, const float* amounts,
                        int64_t n);
TopTotals top_categories(int64_t how_many, int64_t count, const int32_t* categories,
                         const float* amounts, int64_t n);
void nearest_neighbours(Points points, float* distances, int64_t* places);
FrequentWords word_count(int64_t how_many, const char* text, int64_t n);
void pairs(const float* x, float* out, int64_t n);
void eight_parts(const float* x, float* out, int64_t n);
void bitonic(const float* x, float* out, int64_t n);
void pascal(const float* x, float* out, int64_t n);

}  // namespace contenders::CONTENDER_SPACE
