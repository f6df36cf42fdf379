// Loops over rows, in the order that suits memory. Compiled by each of the rules.
#include "everyday/by_index.hpp"

#include "parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace contenders {
namespace {

constexpr int64_t lanes = 16;  // sums side by side, so that no addition waits for the one before

void column_sums(const float* a, int64_t rows, int64_t columns, float* out) {
  parallel_blocks(columns, 512, [&](int64_t begin, int64_t end) {
    std::fill(out + begin, out + end, 0.0f);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = begin; j < end; ++j) out[j] += a[i * columns + j];
  });
}

float dot(const float* a, const float* b, int64_t n) {
  float part[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int64_t k = 0; k < lanes; ++k) part[k] += a[i + k] * b[i + k];
  float sum = 0;
  for (; i < n; ++i) sum += a[i] * b[i];
  for (const float x : part) sum += x;
  return sum;
}

void attention(AttentionSizes n, const float* q, const float* k, const float* v, float* out) {
  const float scale = 1 / std::sqrt(static_cast<float>(n.width));
  parallel_blocks(n.heads * n.tokens, 32, [&](int64_t begin, int64_t end) {
    std::vector<float> score(static_cast<std::size_t>(n.tokens));
    float* const s = score.data();
    for (int64_t at = begin; at < end; ++at) {
      const int64_t i = at % n.tokens, head = (at - i) * n.width;
      float most = -std::numeric_limits<float>::infinity(), sum = 0;
      for (int64_t j = 0; j <= i; ++j) {
        s[j] = scale * dot(q + at * n.width, k + head + j * n.width, n.width);
        most = std::max(most, s[j]);
      }
      for (int64_t j = 0; j <= i; ++j) sum += s[j] = std::exp(s[j] - most);
      float* const row = out + at * n.width;
      std::fill_n(row, n.width, 0.0f);
      for (int64_t j = 0; j <= i; ++j)
        for (int64_t d = 0; d < n.width; ++d) row[d] += s[j] / sum * v[head + j * n.width + d];
    }
  });
}

void nearest(const float* points, int64_t n, float* out) {
  std::vector<float> coordinates(static_cast<std::size_t>(3 * n));
  float *x = coordinates.data(), *y = x + n, *z = y + n;
  for (int64_t i = 0; i < n; ++i)
    x[i] = points[3 * i], y[i] = points[3 * i + 1], z[i] = points[3 * i + 2];
  parallel_blocks(n, 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float least[lanes];
      std::fill_n(least, lanes, std::numeric_limits<float>::max());
      const auto look = [&](int64_t j, float& at) {
        const float dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
        const float d = j == i ? std::numeric_limits<float>::max() : dx * dx + dy * dy + dz * dz;
        at = d < at ? d : at;
      };
      int64_t j = 0;
      for (; j + lanes <= n; j += lanes)
        for (int64_t l = 0; l < lanes; ++l) look(j + l, least[l]);
      for (; j < n; ++j) look(j, least[0]);
      out[i] = *std::min_element(least, least + lanes);
    }
  });
}

void descent(const float* x, const float* y, int64_t rows, int64_t columns, int64_t rounds,
             float rate, float* weights) {
  std::vector<float> gram(static_cast<std::size_t>(columns * columns)),
      target(static_cast<std::size_t>(columns)), step(static_cast<std::size_t>(columns));
  parallel_blocks(columns, 8, [&](int64_t begin, int64_t end) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = begin; i < end; ++i) {
        const float a = x[r * columns + i];
        float* const row = gram.data() + i * columns;
        for (int64_t j = 0; j < columns; ++j) row[j] += a * x[r * columns + j];
        target[static_cast<std::size_t>(i)] += a * y[r];
      }
  });
  std::fill_n(weights, columns, 0.0f);
  const float scale = rate / static_cast<float>(rows);
  for (int64_t round = 0; round < rounds; ++round) {
    for (int64_t i = 0; i < columns; ++i)
      step[static_cast<std::size_t>(i)] =
          scale *
          (dot(gram.data() + i * columns, weights, columns) - target[static_cast<std::size_t>(i)]);
    for (int64_t i = 0; i < columns; ++i) weights[i] -= step[static_cast<std::size_t>(i)];
  }
}

// Some rows at a time: each line of the result is written whole, and the lines read stay in a
// cache.
void transpose(const float* a, int64_t rows, int64_t columns, float* out) {
  constexpr int64_t high = 16, wide = 64;
  parallel_blocks(columns, wide, [&](int64_t begin, int64_t end) {
    int64_t i = 0;
    for (; i + high <= rows; i += high)
      for (int64_t j = begin; j < end; ++j)
        for (int64_t k = i; k < i + high; ++k) out[j * rows + k] = a[k * columns + j];
    for (; i < rows; ++i)
      for (int64_t j = begin; j < end; ++j) out[j * rows + i] = a[i * columns + j];
  });
}

void pixels(const float* planes, int64_t n, float* out) {
  parallel_blocks(n, 1 << 14, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      out[3 * i] = planes[i];
      out[3 * i + 1] = planes[n + i];
      out[3 * i + 2] = planes[2 * n + i];
    }
  });
}

}  // namespace

const ByIndexForm CONTENDER_BY_INDEX{.name = CONTENDER_NAME,
                                     .rules = Rules::CONTENDER_RULES,
                                     .column_sums = column_sums,
                                     .attention = attention,
                                     .nearest = nearest,
                                     .descent = descent,
                                     .transpose = transpose,
                                     .pixels = pixels};

}  // namespace contenders
