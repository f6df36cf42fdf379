// Matrix product after Goto and van de Geijn: packed panels, and a micro-kernel in registers.
#include <algorithm>

#include "buffer.hpp"
#include "hand/hand.hpp"
#include "parallel.hpp"
#include "vec.hpp"

namespace contenders::hand {
namespace {

#if defined(__AVX512F__)
constexpr int64_t tile_rows = 14, tile_vectors = 2;  // 28 of 32 registers accumulate
#else
constexpr int64_t tile_rows = 6, tile_vectors = 2;  // 12 of 16
#endif
constexpr int64_t tile_columns = tile_vectors * lanes;
constexpr int64_t depth =
    384;  // of a panel: seldom to touch c counts for more than to fit the first cache
constexpr int64_t rows = 8 * tile_rows;  // of a packed block of a: fits the second-level cache

int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

// Packs panels of `tile_columns` columns, each stored row after row; missing columns are zeros.
void pack_b(const float* b, int64_t n, int64_t k0, int64_t k1, int64_t j0, float* packed) {
  const int64_t width = std::min(tile_columns, n - j0);
  for (int64_t k = k0; k < k1; ++k, packed += tile_columns) {
    std::copy_n(b + k * n + j0, width, packed);
    std::fill(packed + width, packed + tile_columns, 0.0f);
  }
}

// Packs panels of `tile_rows` rows, each stored column after column; missing rows are zeros. Reads
// along the rows: reading down the columns of a matrix whose width is a power of two would hit one
// set of the cache again and again.
void pack_a(const float* a, int64_t n, int64_t i0, int64_t i1, int64_t k0, int64_t k1,
            float* packed) {
  const int64_t steps = k1 - k0;
  for (int64_t i = i0; i < i1; i += tile_rows, packed += tile_rows * steps)
    for (int64_t r = 0; r < tile_rows; ++r) {
      const float* row = a + (i + r) * n + k0;
      for (int64_t k = 0; k < steps; ++k) packed[k * tile_rows + r] = i + r < i1 ? row[k] : 0.0f;
    }
}

using Tile = Floats[tile_rows][tile_vectors];

inline void multiply_panels(const float* a, const float* b, int64_t steps, Tile& tile) {
  Tile c = {};
  for (int64_t k = 0; k < steps; ++k, a += tile_rows, b += tile_columns) {
    const Floats b0 = load(b), b1 = load(b + lanes);
#pragma GCC unroll 16
    for (int64_t r = 0; r < tile_rows; ++r) {
      c[r][0] += a[r] * b0;
      c[r][1] += a[r] * b1;
    }
  }
  std::copy_n(&c[0][0], tile_rows * tile_vectors, &tile[0][0]);
}

// Adds a tile to its place in c, or stores it if it is the first.
void add_tile(const Tile& tile, float* c, int64_t n, int64_t height, int64_t width, bool first) {
  for (int64_t r = 0; r < height; ++r, c += n) {
    if (width == tile_columns) {
      for (int64_t v = 0; v < tile_vectors; ++v) {
        float* p = c + v * lanes;
        store(p, first ? tile[r][v] : load(p) + tile[r][v]);
      }
    } else {
      const float* source = reinterpret_cast<const float*>(tile[r]);
      for (int64_t j = 0; j < width; ++j) c[j] = first ? source[j] : c[j] + source[j];
    }
  }
}

struct Product {
  const float *a, *packed_b;
  float* c;
  int64_t n;
};

void multiply_block(const Product& p, int64_t i0, int64_t i1, int64_t k0, int64_t k1,
                    float* packed_a) {
  const int64_t padded = round_up(p.n, tile_columns);
  pack_a(p.a, p.n, i0, i1, k0, k1, packed_a);
  for (int64_t j = 0; j < p.n; j += tile_columns) {
    const float* panel_b = p.packed_b + k0 * padded + j * (k1 - k0);
    for (int64_t i = i0; i < i1; i += tile_rows) {
      float* const target = p.c + i * p.n + j;
      for (int64_t r = 0; r < tile_rows; ++r)
        for (int64_t v = 0; v < tile_vectors; ++v)
          __builtin_prefetch(target + r * p.n + v * lanes, 1);
      Tile tile;
      multiply_panels(packed_a + (i - i0) * (k1 - k0), panel_b, k1 - k0, tile);
      add_tile(tile, target, p.n, std::min(tile_rows, i1 - i), std::min(tile_columns, p.n - j),
               k0 == 0);
    }
  }
}

}  // namespace

void matmul(const float* a, const float* b, float* c, int64_t n) {
  const int64_t padded = round_up(n, tile_columns);
  // Kept between calls, as a library would.
  thread_local Buffer<float> packed_b;
  if (packed_b.size() < n * padded) packed_b = Buffer<float>(n * padded);
  float* const shared_b = packed_b.data();
  parallel_blocks(padded / tile_columns, 4, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin * tile_columns; j < end * tile_columns; j += tile_columns)
      for (int64_t k0 = 0; k0 < n; k0 += depth) {
        const int64_t k1 = std::min(n, k0 + depth);
        pack_b(b, n, k0, k1, j, shared_b + k0 * padded + j * (k1 - k0));
      }
  });
  const Product product{a, shared_b, c, n};
  parallel_blocks(n, rows, [&](int64_t i0, int64_t i1) {
    alignas(64) thread_local float packed_a[(rows + tile_rows) * depth];
    for (int64_t k0 = 0; k0 < n; k0 += depth)
      multiply_block(product, i0, i1, k0, std::min(n, k0 + depth), packed_a);
  });
}

}  // namespace contenders::hand
