// Sobel's magnitude with explicit vectors; reads beyond the border are clamped.
#include <algorithm>
#include <cmath>

#include "hand/hand.hpp"
#include "vec.hpp"

namespace contenders::CONTENDER_HAND {
namespace {

struct Rows {
  const float *above, *here, *below;
};

float one(Rows r, int64_t left, int64_t x, int64_t right) {
  const float gx = (r.above[right] + 2.0f * r.here[right] + r.below[right]) -
                   (r.above[left] + 2.0f * r.here[left] + r.below[left]);
  const float gy = (r.below[left] + 2.0f * r.below[x] + r.below[right]) -
                   (r.above[left] + 2.0f * r.above[x] + r.above[right]);
  return std::sqrt(gx * gx + gy * gy);
}

inline Floats many(Rows r, int64_t x) {
  const Floats a = load(r.above + x - 1), b = load(r.above + x), c = load(r.above + x + 1);
  const Floats d = load(r.here + x - 1), f = load(r.here + x + 1);
  const Floats g = load(r.below + x - 1), h = load(r.below + x), i = load(r.below + x + 1);
  const Floats gx = (c + 2.0f * f + i) - (a + 2.0f * d + g);
  const Floats gy = (g + 2.0f * h + i) - (a + 2.0f * b + c);
  return square_root(gx * gx + gy * gy);
}

template <bool prefetch, bool streaming>
void one_row(Rows r, float* out, int64_t w) {
  constexpr int64_t ahead = 512;  // elements
  out[0] = one(r, 0, 0, std::min<int64_t>(1, w - 1));
  int64_t x = 1;
  if (streaming)
    for (; x < w - 1 && reinterpret_cast<uintptr_t>(out + x) % sizeof(Floats) != 0; ++x)
      out[x] = one(r, x - 1, x, x + 1);
  for (; x + lanes < w; x += lanes) {
    if (prefetch) __builtin_prefetch(r.below + x + ahead);
    if (streaming)
      stream(out + x, many(r, x));
    else
      store(out + x, many(r, x));
  }
  for (; x < w - 1; ++x) out[x] = one(r, x - 1, x, x + 1);
  if (w > 1) out[w - 1] = one(r, w - 2, w - 1, w - 1);
}

template <bool prefetch, bool streaming>
void all_rows(GreyImage image, float* out, int64_t begin_row, int64_t end_row) {
  const int64_t w = image.width;
  for (int64_t y = begin_row; y < end_row; ++y) {
    const float* here = image.pixels + y * w;
    const Rows rows{y > 0 ? here - w : here, here, y + 1 < image.height ? here + w : here};
    one_row<prefetch, streaming>(rows, out + y * w, w);
  }
  if (streaming) stream_fence();
}

}  // namespace

void sobel(GreyImage image, float* out, int64_t begin_row, int64_t end_row) {
  all_rows<false, false>(image, out, begin_row, end_row);
}

void sobel_prefetch(GreyImage image, float* out, int64_t begin_row, int64_t end_row) {
  all_rows<true, false>(image, out, begin_row, end_row);
}

void sobel_stream(GreyImage image, float* out, int64_t begin_row, int64_t end_row) {
  all_rows<true, true>(image, out, begin_row, end_row);
}

}  // namespace contenders::CONTENDER_HAND
