// Sums of short rows, soft-max of rows and the nearest of some centres, with explicit vectors: each
// row, and each block of rows or points, is finished before the next.
#include <algorithm>
#include <limits>
#include <utility>

#include "hand/hand.hpp"
#include "parallel.hpp"
#include "vec.hpp"

namespace contenders::hand {
namespace {

constexpr int64_t block_rows = 64;

// The half that begins at `from`, of each piece of `length` elements in two vectors.
template <int length, int from, int... lane>
Floats halves(Floats a, Floats b, std::integer_sequence<int, lane...>) {
  constexpr int half = length / 2;
  return __builtin_shufflevector(a, b, (lane / half * length + lane % half + from)...);
}

// The sums of the rows of a block that fills `length` vectors: adds halves to halves until one
// vector is left.
template <int length>
Floats block_sums(const float* x) {
  Floats rows[length];
  for (int j = 0; j < length; ++j) rows[j] = load(x + int64_t{lanes} * j);
  const auto fold = [&]<int now>(auto& self, std::integral_constant<int, now>) -> void {
    if constexpr (now > 1) {
      constexpr auto all_lanes = std::make_integer_sequence<int, lanes>{};
      for (int j = 0; j < now / 2; ++j)
        rows[j] = halves<now, 0>(rows[2 * j], rows[2 * j + 1], all_lanes) +
                  halves<now, now / 2>(rows[2 * j], rows[2 * j + 1], all_lanes);
      self(self, std::integral_constant<int, now / 2>{});
    }
  };
  fold(fold, std::integral_constant<int, length>{});
  return rows[0];
}

template <int length>
void sums_of(const float* x, float* out, int64_t rows) {
  parallel_blocks(rows / lanes, 4096 / length, [=](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block)
      store(out + block * lanes, block_sums<length>(x + block * lanes * length));
  });
}

Floats larger(Floats a, Floats b) { return a > b ? a : b; }

// `n` is a multiple of the number of lanes.
void softmax_row(const float* x, float* out, int64_t n) {
  Floats most = load(x);
  for (int64_t j = lanes; j < n; j += lanes) most = larger(most, load(x + j));
  float top = most[0];
  for (int l = 1; l < lanes; ++l) top = std::max(top, most[l]);
  Floats total{};
  for (int64_t j = 0; j < n; j += lanes) {
    const Floats e = polynomial_exp(load(x + j) - top);
    total += e;
    store(out + j, e);
  }
  const Floats scale = all(1.0f / add_up(total));
  for (int64_t j = 0; j < n; j += lanes) store(out + j, load(out + j) * scale);
}

}  // namespace

void row_sums(const float* x, float* out, int64_t rows, int64_t n) {
  if (n == 4) return sums_of<4>(x, out, rows);
  if (n == 8) return sums_of<8>(x, out, rows);
  sums_of<16>(x, out, rows);
}

// Each thread processes its columns row by row, so it reads next what it has written last.
void sums_down(const float* x, float* out, int64_t rows, int64_t n) {
  constexpr int64_t columns = 1024;
  parallel_blocks((n + columns - 1) / columns, 1, [=](int64_t first, int64_t last) {
    const int64_t begin = first * columns, end = std::min(n, last * columns);
    std::copy(x + begin, x + end, out + begin);
    for (int64_t i = 1; i < rows; ++i)
      for (int64_t j = begin; j < end; ++j) out[i * n + j] = out[(i - 1) * n + j] + x[i * n + j];
  });
}

// Runs on one thread: each step depends on the one before.
void recurrence(const float* a, const float* b, float* out, int64_t n) {
  float y = 0;
  for (int64_t i = 0; i < n; ++i) out[i] = y = a[i] * y + b[i];
}

void softmax(const float* x, float* out, int64_t rows, int64_t n) {
  parallel_blocks(rows, block_rows, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) softmax_row(x + i * n, out + i * n, n);
  });
}

// Each lane is a point; the coordinates of a block of points are transposed once.
void nearest(const float* points, const float* centres, int32_t* out, int64_t n, int64_t m,
             int64_t d) {
  parallel_blocks(n / lanes, block_rows, [=](int64_t begin, int64_t end) {
    Floats turned[64];
    for (int64_t block = begin; block < end; ++block) {
      const float* p = points + block * lanes * d;
      for (int64_t k = 0; k < d; ++k)
        for (int l = 0; l < lanes; ++l) turned[k][l] = p[l * d + k];
      Floats least = all(std::numeric_limits<float>::infinity());
      Ints where{};
      for (int64_t c = 0; c < m; ++c) {
        Floats sum{};
        for (int64_t k = 0; k < d; ++k) {
          const Floats difference = turned[k] - centres[c * d + k];
          sum += difference * difference;
        }
        const Ints closer = sum < least;
        least = closer ? sum : least;
        where = closer ? all_ints(static_cast<int32_t>(c)) : where;
      }
      store(out + block * lanes, where);
    }
  });
}

}  // namespace contenders::hand
