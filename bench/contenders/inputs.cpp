// Inputs for the programs; see inputs.hpp.
#include "inputs.hpp"

#include <cmath>

#include "parallel.hpp"

namespace contenders {
namespace {

// A hash of a counter (the finisher of splitmix64): element i needs no element before it.
uint64_t scramble(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr int64_t block = 1 << 16;

}  // namespace

Buffer<float> random_floats(int64_t n, float low, float high, uint32_t stream) {
  Buffer<float> out(n);
  parallel_blocks(n, block, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const uint64_t bits = scramble((uint64_t{stream} << 48) + static_cast<uint64_t>(i));
      out[i] = low + (high - low) * static_cast<float>(bits >> 40) * 0x1p-24f;
    }
  });
  return out;
}

Options random_options(int64_t n) {
  return {random_floats(n, 5, 30, 1), random_floats(n, 1, 100, 2), random_floats(n, 0.25f, 10, 3)};
}

Bodies random_bodies(int64_t n) {
  return {random_floats(n, -10, 10, 4), random_floats(n, -10, 10, 5), random_floats(n, -10, 10, 6),
          random_floats(n, 0.1f, 1, 7)};
}

Buffer<float> test_image(int64_t width, int64_t height) {
  Buffer<float> out(width * height);
  parallel_blocks(height, 16, [&](int64_t begin, int64_t end) {
    for (int64_t y = begin; y < end; ++y)
      for (int64_t x = 0; x < width; ++x) {
        const float fx = static_cast<float>(x), fy = static_cast<float>(y);
        out[y * width + x] =
            0.5f + 0.25f * std::sin(fx * 0.03f) + 0.25f * std::sin(fy * 0.05f + fx * 0.01f);
      }
  });
  return out;
}

}  // namespace contenders
