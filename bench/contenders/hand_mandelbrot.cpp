// Mandelbrot with explicit vectors: several vectors in flight, one test every few steps.
#include <algorithm>

#include "hand.hpp"
#include "vec.hpp"

namespace contenders::hand {
namespace {

constexpr int vectors = 4;  // hides the latency of z's recurrence
constexpr int64_t block = vectors * lanes;
constexpr int32_t between_tests = 4;

struct State {
  Floats cr[vectors], zr[vectors], zi[vectors];
  Ints count[vectors];
};

// One step of all points. Points that have left go on to infinity and are no longer counted: they
// never come back, so nothing needs to be held still.
inline Mask advance(State& s, float ci) {
  Mask inside{};
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    const Floats r2 = s.zr[v] * s.zr[v];
    const Floats i2 = s.zi[v] * s.zi[v];
    const Mask m = less(r2 + i2, all(4.0f));
    s.count[v] = count_where(m, s.count[v]);
    inside = either(inside, m);
    s.zi[v] = (s.zr[v] + s.zr[v]) * s.zi[v] + ci;
    s.zr[v] = (r2 - i2) + s.cr[v];
  }
  return inside;
}

void colour_block(const Picture& picture, int32_t* steps, int64_t row, int64_t first) {
  const Window w = picture.window;
  const float dx = w.width / static_cast<float>(picture.width);
  const float ci =
      w.top + static_cast<float>(row) * (w.height / static_cast<float>(picture.height));
  State s;
  for (int v = 0; v < vectors; ++v) {
    const Ints column = counting() + static_cast<int32_t>(first + v * lanes);
    s.cr[v] = s.zr[v] = w.left + to_floats(column) * dx;
    s.zi[v] = all(ci);
    s.count[v] = Ints{};
  }
  int32_t i = 0;
  bool going = true;
  for (; going && i + between_tests <= picture.limit; i += between_tests) {
    for (int32_t k = 1; k < between_tests; ++k) advance(s, ci);
    going = any(advance(s, ci));
  }
  for (; going && i < picture.limit; ++i) going = any(advance(s, ci));
  for (int v = 0; v < vectors; ++v)
    store(steps + row * picture.width + first + v * lanes, s.count[v]);
}

}  // namespace

// Needs rows of at least one block; the last block overlaps the one before.
void mandelbrot(const Picture& picture, int32_t* steps, int64_t begin_row, int64_t end_row) {
  for (int64_t row = begin_row; row < end_row; ++row)
    for (int64_t x = 0; x < picture.width; x += block)
      colour_block(picture, steps, row, std::min(x, picture.width - block));
}

}  // namespace contenders::hand
