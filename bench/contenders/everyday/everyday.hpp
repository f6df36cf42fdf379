// The everyday programs as plain loops on all threads; forms.cpp puts them into tables. They are
// compiled without contraction, with it, and with -ffast-math.
#pragma once

#include <cstdint>
#include <vector>

#include "forms.hpp"

namespace contenders {

// Rows of x are observations.
struct Observations {
  const float *x, *y;
  int64_t rows, features;
};

// A network with one hidden layer. Its numbers are consecutive: weights of the first layer (inputs
// x hidden), its bias, weights of the second layer (hidden x classes), its bias.
struct NetworkSizes {
  int64_t rows, inputs, hidden, classes;
  int64_t numbers() const { return inputs * hidden + hidden + hidden * classes + classes; }
};

// A picture of `inputs` channels, two lines and columns larger than the results, and weights of 3 x
// 3 for each pair of channels.
struct ConvolutionSizes {
  int64_t inputs, outputs, height, width;
  int64_t picture() const { return inputs * (height + 2) * (width + 2); }
  int64_t weights() const { return outputs * inputs * 9; }
  int64_t results() const { return outputs * height * width; }
};

struct BarrierCall {
  float price, strike, barrier, years, rate, volatility;
};

struct Points {
  const float *x, *y;
  int64_t n;
};

struct TopTotals {
  std::vector<int64_t> keys;
  std::vector<float> totals;
};

struct FrequentWords {
  int64_t words = 0;
  std::vector<int64_t> places, counts;
};

constexpr int64_t pascal_rows = 500;

struct EverydayForm {
  const char* name;
  Rules rules;
  void (*regression)(Observations, int64_t rounds, float rate, float* weights);
  void (*train)(NetworkSizes, float rate, const float* x, const int32_t* classes,
                const float* before, float* after);
  void (*convolve)(ConvolutionSizes, const float* picture, const float* weights, float* out);
  // Nine consecutive planes; `scratch` has the same size.
  void (*lattice)(const float* start, float* result, float* scratch, int64_t rows, int64_t columns,
                  float rate, int64_t steps);
  void (*heat)(const float* start, float* result, float* scratch, int64_t rows, int64_t columns,
               float rate, float hot, float cold, int64_t steps);
  float (*barrier)(int64_t paths, int64_t quarters, uint64_t key, BarrierCall);
  TopTotals (*top_customers)(int64_t how_many, const int64_t* customers, const float* amounts,
                             int64_t n);
  TopTotals (*top_categories)(int64_t how_many, int64_t count, const int32_t* categories,
                              const float* amounts, int64_t n);
  // The squared distances in order of x, and the indices of the neighbours in that order.
  void (*nearest_neighbours)(Points, float* distances, int64_t* places);
  FrequentWords (*word_count)(int64_t how_many, const char* text, int64_t n);
  // x + 1 and x / 2 side by side; x * x - 1 of all elements, then x * x - 2, up to 8.
  void (*pairs)(const float* x, float* out, int64_t n);
  void (*eight_parts)(const float* x, float* out, int64_t n);
  // Batcher's network, and `pascal_rows` rows of Pascal's triangle.
  void (*bitonic)(const float* x, float* out, int64_t n);
  void (*pascal)(const float* x, float* out, int64_t n);
};

extern const EverydayForm everyday_strict, everyday_o3, everyday_fast;

}  // namespace contenders
