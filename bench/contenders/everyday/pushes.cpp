// Loops that write several results, and several loops that write one array.
#include "everyday/programs.hpp"
#include "parallel.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace contenders::CONTENDER_SPACE {
namespace {

constexpr int64_t block = 1 << 15;

}  // namespace

void pairs(const float* x, float* out, int64_t n) {
  parallel_blocks(n, block, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      out[2 * i] = x[i] + 1.0f;
      out[2 * i + 1] = x[i] * 0.5f;
    }
  });
}

void eight_parts(const float* x, float* out, int64_t n) {
  for (int64_t part = 0; part < 8; ++part) {
    const auto k = static_cast<float>(part + 1);
    float* const to = out + part * n;
    parallel_blocks(n, block, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = x[i] * x[i] - k;
    });
  }
}

namespace {

// Blocks of this many elements stay in a cache for all steps that compare elements of one block.
constexpr int64_t cached = 1 << 13;

void exchange(float* data, int64_t begin, int64_t end, int64_t run, int64_t distance) {
  for (int64_t block = begin; block < end; block += 2 * distance) {
    const bool rising = (block & run) == 0;
    float *low = data + block, *high = low + distance;
    for (int64_t k = 0; k < distance; ++k) {
      const float less = std::min(low[k], high[k]), more = std::max(low[k], high[k]);
      low[k] = rising ? less : more;
      high[k] = rising ? more : less;
    }
  }
}

}  // namespace

void bitonic(const float* x, float* out, int64_t n) {
  const int64_t part = std::min(n, cached);
  parallel_blocks(n, part, [&](int64_t begin, int64_t end) {
    std::copy(x + begin, x + end, out + begin);
    for (int64_t run = 2; run <= part; run *= 2)
      for (int64_t distance = run / 2; distance > 0; distance /= 2)
        exchange(out, begin, end, run, distance);
  });
  for (int64_t run = 2 * part; run <= n; run *= 2) {
    for (int64_t distance = run / 2; distance >= part; distance /= 2)
      parallel_blocks(n / 2, part, [&](int64_t begin, int64_t end) {
        const int64_t at = begin / distance * (2 * distance) + begin % distance;
        const bool rising = (at & run) == 0;
        float *low = out + at, *high = low + distance;
        for (int64_t k = 0; k < end - begin; ++k) {
          const float less = std::min(low[k], high[k]), more = std::max(low[k], high[k]);
          low[k] = rising ? less : more;
          high[k] = rising ? more : less;
        }
      });
    parallel_blocks(n, part, [&](int64_t begin, int64_t end) {
      for (int64_t distance = part / 2; distance > 0; distance /= 2)
        exchange(out, begin, end, run, distance);
    });
  }
}

void pascal(const float* x, float* out, int64_t n) {
  std::vector<float> first(x, x + n), second(first.size());
  for (int64_t row = 0; row < pascal_rows; ++row) {
    const float* const from = first.data();
    float* const to = row + 1 == pascal_rows ? out : second.data();
    parallel_blocks(n, block, [&](int64_t begin, int64_t end) {
      if (begin == 0) to[0] = (from[0] + from[0]) * 0.5f;
      for (int64_t i = std::max<int64_t>(begin, 1); i < end; ++i)
        to[i] = (from[i - 1] + from[i]) * 0.5f;
    });
    std::swap(first, second);
  }
}

}  // namespace contenders::CONTENDER_SPACE
