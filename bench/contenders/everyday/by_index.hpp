// Elements and folds of elements that are written by index, as plain loops on all threads; see
// by_index.cpp.
#pragma once

#include <cstdint>

#include "forms.hpp"

namespace contenders {

struct AttentionSizes {
  int64_t heads, tokens, width;
  [[nodiscard]] int64_t numbers() const { return heads * tokens * width; }
};

struct ByIndexForm {
  const char* name;
  Rules rules;
  void (*column_sums)(const float* a, int64_t rows, int64_t columns, float* out);
  // Causal attention: each token looks at itself and those before it.
  void (*attention)(AttentionSizes, const float* q, const float* k, const float* v, float* out);
  // For each of n points of three coordinates the squared distance of the nearest other.
  void (*nearest)(const float* points, int64_t n, float* out);
  // Steps of gradient descent with the Gram matrix of x (rows x columns).
  void (*descent)(const float* x, const float* y, int64_t rows, int64_t columns, int64_t rounds,
                  float rate, float* weights);
  void (*transpose)(const float* a, int64_t rows, int64_t columns, float* out);
  // n pixels of three channels, which are one plane after the other in `planes`.
  void (*pixels)(const float* planes, int64_t n, float* out);
};

extern const ByIndexForm by_index_strict, by_index_o3, by_index_fast;

}  // namespace contenders
