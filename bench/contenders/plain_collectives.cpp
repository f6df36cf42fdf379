// Collectives in their most direct form.
#include <algorithm>
#include <numeric>
#include <vector>

#include "collectives.hpp"

namespace contenders::plain {

void blur(GreyImage image, float* out) {
  const int64_t w = image.width, h = image.height;
  for (int64_t y = 0; y < h; ++y)
    for (int64_t x = 0; x < w; ++x) {
      float sum = 0;
      for (int64_t i = y - 2; i <= y + 2; ++i)
        for (int64_t j = x - 2; j <= x + 2; ++j)
          sum +=
              image.pixels[std::clamp<int64_t>(i, 0, h - 1) * w + std::clamp<int64_t>(j, 0, w - 1)];
      out[y * w + x] = sum / 25.0f;
    }
}

void scan(const float* x, float* out, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(sum += x[i]);
}

int64_t filter(const int32_t* x, int32_t* out, int64_t n) {
  return std::copy_if(x, x + n, out, [](int32_t v) { return v > 0; }) - out;
}

void segmented_sum(const float* x, const int64_t* offsets, float* out, int64_t segments) {
  for (int64_t s = 0; s < segments; ++s) {
    double sum = 0;
    for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) sum += x[i];
    out[s] = static_cast<float>(sum);
  }
}

void scatter_add(const int32_t* keys, const float* x, float* sums, int64_t bins, int64_t n) {
  for (int64_t i = 0; i < bins; ++i) sums[i] = 0;
  for (int64_t i = 0; i < n; ++i) sums[keys[i]] += x[i];
}

void histogram(const int32_t* keys, int64_t* counts, int64_t bins, int64_t n) {
  std::fill(counts, counts + bins, 0);
  for (int64_t i = 0; i < n; ++i) ++counts[keys[i]];
}

void sort(const uint32_t* x, uint32_t* out, int64_t n) {
  std::copy(x, x + n, out);
  std::sort(out, out + n);
}

void sort_floats(const float* x, float* out, int64_t n) {
  std::copy(x, x + n, out);
  std::sort(out, out + n);
}

void sort_pairs(const uint32_t* keys, const uint32_t* values, uint32_t* keys_out,
                uint32_t* values_out, int64_t n) {
  std::vector<int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [=](int64_t a, int64_t b) { return keys[a] < keys[b]; });
  for (int64_t i = 0; i < n; ++i) {
    keys_out[i] = keys[order[static_cast<std::size_t>(i)]];
    values_out[i] = values[order[static_cast<std::size_t>(i)]];
  }
}

void sort_rows(const uint32_t* x, uint32_t* out, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) sort(x + r * n, out + r * n, n);
}

void damp(const float* x, float* out, int64_t n, int64_t rounds) {
  for (int64_t i = 0; i < n; ++i) {
    float v = x[i];
    for (int64_t k = 0; k < rounds; ++k) v = v - v * v * 0.25f;
    out[i] = v;
  }
}

void permute(const float* x, const int32_t* target, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[target[i]] = x[i];
}

}  // namespace contenders::plain
