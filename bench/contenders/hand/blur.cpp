// The mean of 5 x 5 points with explicit vectors: all 25 reads, or sums of columns first.
#include <array>
#include <vector>

#include "collectives.hpp"
#include "parallel.hpp"
#include "vec.hpp"

namespace contenders {
namespace {

constexpr int64_t radius = 2, image_rows = 32, ahead = 512;

using Rows = std::array<const float*, 5>;

Rows rows_around(GreyImage image, int64_t y) {
  Rows rows;
  for (int64_t i = 0; i < 5; ++i)
    rows[static_cast<std::size_t>(i)] =
        image.pixels + std::clamp<int64_t>(y + i - radius, 0, image.height - 1) * image.width;
  return rows;
}

float one(const Rows& rows, int64_t x, int64_t w) {
  float sum = 0;
  for (const float* row : rows)
    for (int64_t j = x - radius; j <= x + radius; ++j) sum += row[std::clamp<int64_t>(j, 0, w - 1)];
  return sum / 25.0f;
}

template <bool prefetch>
void direct(GreyImage image, float* out, int64_t y) {
  const Rows rows = rows_around(image, y);
  const int64_t w = image.width;
  int64_t x = 0;
  for (; x < std::min(radius, w); ++x) out[x] = one(rows, x, w);
  for (; x + lanes + radius <= w; x += lanes) {
    if (prefetch) __builtin_prefetch(rows[4] + x + ahead);
    Floats sum{};
    for (const float* row : rows)
      for (int64_t j = -radius; j <= radius; ++j) sum += load(row + x + j);
    store(out + x, sum / 25.0f);
  }
  for (; x < w; ++x) out[x] = one(rows, x, w);
}

void separable(GreyImage image, float* out, int64_t y, std::vector<float>& columns) {
  const Rows rows = rows_around(image, y);
  const int64_t w = image.width;
  columns.resize(static_cast<std::size_t>(w + 2 * radius + lanes));
  float* sums = columns.data() + radius;
  int64_t x = 0;
  for (; x + lanes <= w; x += lanes) {
    __builtin_prefetch(rows[4] + x + ahead);
    Floats sum = load(rows[0] + x);
    for (std::size_t i = 1; i < 5; ++i) sum += load(rows[i] + x);
    store(sums + x, sum);
  }
  for (; x < w; ++x) sums[x] = rows[0][x] + rows[1][x] + rows[2][x] + rows[3][x] + rows[4][x];
  for (int64_t j = 1; j <= radius; ++j) sums[-j] = sums[0], sums[w - 1 + j] = sums[w - 1];
  for (x = 0; x + lanes <= w; x += lanes) {
    Floats sum = load(sums + x - radius);
    for (int64_t j = 1 - radius; j <= radius; ++j) sum += load(sums + x + j);
    store(out + x, sum / 25.0f);
  }
  for (; x < w; ++x)
    out[x] = (sums[x - 2] + sums[x - 1] + sums[x] + sums[x + 1] + sums[x + 2]) / 25.0f;
}

template <class F>
auto by_rows(F row) {
  return [row](GreyImage image, float* out) {
    parallel_blocks(image.height, image_rows, [=](int64_t begin, int64_t end) {
      std::vector<float> columns;
      for (int64_t y = begin; y < end; ++y) row(image, out + y * image.width, y, columns);
    });
  };
}

}  // namespace

std::vector<Named<void(GreyImage, float*)>> blurs() {
  // Sums of columns add in another order than the program, so they round differently.
  using Scratch = std::vector<float>;
  return {{"hand", Rules::strict, by_rows([](GreyImage image, float* out, int64_t y, Scratch&) {
             direct<false>(image, out, y);
           })},
          {"hand-prefetch", Rules::strict,
           by_rows([](GreyImage image, float* out, int64_t y, Scratch&) {
             direct<true>(image, out, y);
           })},
          {"hand-separable", Rules::any, by_rows(separable)}};
}

}  // namespace contenders
