// Mandelbrot with explicit vectors: a tile of pixels advances at once, with a test every few steps.
#include <algorithm>

#include "hand/hand.hpp"
#include "vec.hpp"

namespace contenders::CONTENDER_HAND {
namespace {

// A tile of pixels advances together: as wide as a vector, and high enough to hide the latency of
// z's recurrence. Neighbours tend to leave at the same time, so a tile wastes less than a long row.
constexpr int64_t tile_rows = 4;
constexpr int32_t between_tests = 4;

struct State {
  Floats cr, zr[tile_rows], zi[tile_rows], ci[tile_rows];
  Ints count[tile_rows];
};

// One step of all points. Points that have left diverge to infinity and are no longer counted. They
// never come back, so no lane needs to be masked.
inline Mask advance(State& s) {
  Mask inside{};
#pragma GCC unroll 8
  for (int v = 0; v < tile_rows; ++v) {
    const Floats r2 = s.zr[v] * s.zr[v];
    const Mask m = less(s.zi[v] * s.zi[v] + r2, all(4.0f));
    s.count[v] = count_where(m, s.count[v]);
    inside = either(inside, m);
    const Floats real = (r2 - s.zi[v] * s.zi[v]) + s.cr;
    s.zi[v] = (s.zr[v] + s.zr[v]) * s.zi[v] + s.ci[v];
    s.zr[v] = real;
  }
  return inside;
}

// The tile whose first pixel is at `row`, `column`; rows from `end_row` on repeat the last row.
void colour_tile(const Picture& picture, int32_t* steps, int64_t row, int64_t column,
                 int64_t end_row) {
  const Window w = picture.window;
  const float dx = w.width / static_cast<float>(picture.width);
  const float dy = w.height / static_cast<float>(picture.height);
  const auto row_of = [&](int64_t v) { return std::min(row + v, end_row - 1); };
  State s;
  s.cr = w.left + to_floats(counting() + static_cast<int32_t>(column)) * dx;
  for (int64_t v = 0; v < tile_rows; ++v) {
    s.ci[v] = all(w.top + static_cast<float>(row_of(v)) * dy);
    s.zr[v] = s.cr;
    s.zi[v] = s.ci[v];
    s.count[v] = Ints{};
  }
  int32_t i = 0;
  bool going = true;
  for (; going && i + between_tests <= picture.limit; i += between_tests) {
    for (int32_t k = 1; k < between_tests; ++k) advance(s);
    going = any(advance(s));
  }
  for (; going && i < picture.limit; ++i) going = any(advance(s));
  for (int64_t v = 0; v < tile_rows; ++v)
    store(steps + row_of(v) * picture.width + column, s.count[v]);
}

}  // namespace

// Rows must be at least one vector wide; the last tile overlaps the one before.
void mandelbrot(const Picture& picture, int32_t* steps, int64_t begin_row, int64_t end_row) {
  for (int64_t row = begin_row; row < end_row; row += tile_rows)
    for (int64_t x = 0; x < picture.width; x += lanes)
      colour_tile(picture, steps, row, std::min(x, picture.width - lanes), end_row);
}

}  // namespace contenders::CONTENDER_HAND
