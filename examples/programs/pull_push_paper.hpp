// More programs of the paper on pull and push arrays, each beside its version with plain arrays.
#pragma once

#include <hasten/hasten.hpp>

#include "edges.hpp"
#include "mandelbrot.hpp"

#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>

namespace programs {

using hs::Vector;

inline Acc<Matrix<float>> pulled_edges(Acc<Matrix<float>> image) {
  return hs::force(edges_of(hs::pull(image)));
}

/// Each result is a fold of its own products.
inline Acc<Matrix<float>> pulled_matmul(Acc<Matrix<float>> a, Acc<Matrix<float>> b) {
  auto space = hs::ix(hs::shape(a)[0], hs::shape(b)[1], hs::shape(a)[1]);
  auto products =
      hs::pull(space, [x = hs::pull(a), y = hs::pull(b)](auto row, auto column, auto k) {
        return x(row, k) * y(k, column);
      });
  return hs::fold(std::plus<>{}, 0.0f, products);
}

inline Acc<Matrix<int32_t>> pulled_mandelbrot(Exp<Ix<2>> size, Exp<View> view, Exp<int32_t> limit) {
  return hs::force(hs::pull(size, steps_at(size, view, limit)));
}

/// Sorts n numbers, n a power of two, by Batcher's bitonic network: each step compares elements
/// that are `distance` apart and writes both.
inline Acc<Vector<float>> bitonic_sort(int64_t n, Acc<Vector<float>> a) {
  constexpr int64_t long_enough = 16;  // iterations of an inner loop
  for (int64_t run = 2; run <= n; run *= 2)
    for (int64_t distance = run / 2; distance > 0; distance /= 2) {
      auto exchange = [=, x = hs::pull(a)](auto block, auto k) {
        auto at = block * (2 * distance) + k;
        auto first = hs::min(x(at), x(at + distance)), second = hs::max(x(at), x(at + distance));
        auto rising = (at & run) == 0;
        return std::tuple{std::pair{at, hs::select(rising, first, second)},
                          std::pair{at + distance, hs::select(rising, second, first)}};
      };
      auto blocks = n / (2 * distance);
      auto flipped = [=](auto k, auto block) { return exchange(block, k); };
      a = distance >= long_enough
              ? hs::force(hs::push_many<2>(hs::ix(blocks, distance), n, exchange))
              : hs::force(hs::push_many<2>(hs::ix(distance, blocks), n, flipped));
    }
  return a;
}
/// Each element reads its partner.
inline Acc<Vector<float>> plain_bitonic_sort(int64_t n, Acc<Vector<float>> a) {
  for (int64_t run = 2; run <= n; run *= 2)
    for (int64_t distance = run / 2; distance > 0; distance /= 2)
      a = hs::compute(hs::generate(n, [=](Exp<int64_t> i) {
        auto x = a[i], partner = a[i ^ distance];
        auto takes_less = ((i & run) == 0) == ((i & distance) == 0);
        return hs::select(takes_less, hs::min(x, partner), hs::max(x, partner));
      }));
  return a;
}

/// The row of Pascal's triangle that is `rows` rows below `first`; each row is halved.
inline Acc<Vector<float>> pascal(Exp<int64_t> rows, Acc<Vector<float>> first) {
  return hs::aiterate(
      rows,
      [](Acc<Vector<float>> row) {
        return hs::force(hs::pull(hs::size(row), [x = hs::pull(row)](auto i) {
          return (x(hs::max(i - 1, 0)) + x(i)) * 0.5f;
        }));
      },
      first);
}
inline Acc<Vector<float>> plain_pascal(Exp<int64_t> rows, Acc<Vector<float>> first) {
  return hs::aiterate(
      rows,
      [](Acc<Vector<float>> row) {
        return hs::generate(hs::size(row), [=](Exp<int64_t> i) {
          return (row[hs::max(i - 1, 0)] + row[i]) * 0.5f;
        });
      },
      first);
}

}  // namespace programs
