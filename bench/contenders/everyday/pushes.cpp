// Loops that write several results, and several loops that write one array.
#include "everyday/programs.hpp"
#include "parallel.hpp"

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

}  // namespace contenders::CONTENDER_SPACE
