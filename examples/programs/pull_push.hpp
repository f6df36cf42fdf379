// Programs of pull and push arrays, and the same programs of plain arrays. Pull and push programs
// state which kernels they have.
#pragma once

#include <hasten/hasten.hpp>

#include <algorithm>
#include <bit>
#include <complex>
#include <cstdint>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

/// Two results for each number, side by side: one loop with two writes.
inline Acc<Vector<float>> pairs(Acc<Vector<float>> a) {
  auto x = hs::pull(a);
  return hs::force(hs::push_many<2>(hs::size(a), 2 * hs::size(a), [=](auto i) {
    return std::tuple{std::pair{2 * i, x(i) + 1.0f}, std::pair{2 * i + 1, x(i) * 0.5f}};
  }));
}
/// The same with plain arrays: each result tests whether its index is even.
inline Acc<Vector<float>> plain_pairs(Acc<Vector<float>> a) {
  return hs::generate(2 * hs::size(a), [=](Exp<int64_t> i) {
    auto x = a[i / 2];
    return hs::select(i % 2 == 0, x + 1.0f, x * 0.5f);
  });
}

/// Eight arrays that are computed where they are concatenated.
inline Acc<Vector<float>> eight_parts(Acc<Vector<float>> a) {
  auto part = [p = hs::pull(a)](float k) { return hs::map([k](auto x) { return x * x - k; }, p); };
  return hs::force(
      hs::concat(part(1), part(2), part(3), part(4), part(5), part(6), part(7), part(8)));
}

/// Means over 5 x 5 neighbours.
template <class A>
auto mean_of_neighbours(const A& image) {
  return hs::stencil(
      [](auto at) {
        Exp<float> sum = 0;
        for (int i = -2; i <= 2; ++i)
          for (int j = -2; j <= 2; ++j) sum = sum + at(i, j);
        return sum / 25.0f;
      },
      hs::boundary::clamp, image);
}
inline Acc<Matrix<float>> pulled_blur(Acc<Matrix<float>> image) {
  return hs::force(mean_of_neighbours(hs::pull(image)));
}
/// The same with 10 additions instead of 25: sums of columns, which `force` stores in memory, then
/// sums of these along rows.
inline Acc<Matrix<float>> blur_by_axes(Acc<Matrix<float>> image) {
  auto columns = hs::force(
      hs::stencil([](auto at) { return at(-2, 0) + at(-1, 0) + at(0, 0) + at(1, 0) + at(2, 0); },
                  hs::boundary::clamp, hs::pull(image)));
  return hs::force(hs::stencil(
      [](auto at) { return (at(0, -2) + at(0, -1) + at(0, 0) + at(0, 1) + at(0, 2)) / 25.0f; },
      hs::boundary::clamp, hs::pull(columns)));
}

/// The same in one kernel: each sum of a column is used for five results and kept until they are
/// computed.
inline Acc<Matrix<float>> blur_in_a_window(Acc<Matrix<float>> image) {
  auto p = hs::pull(image);
  auto last = hs::shape(image)[0] - 1;
  auto columns = hs::pull(hs::shape(image), [=](auto i, auto j) {
    auto row = [&](int k) { return p(hs::clamp(i + k, 0, last), j); };
    return row(-2) + row(-1) + row(0) + row(1) + row(2);
  });
  return hs::force(hs::stencil(
      [](auto at) { return (at(0, -2) + at(0, -1) + at(0, 0) + at(0, 1) + at(0, 2)) / 25.0f; },
      hs::boundary::clamp, columns));
}
/// Sums of rows first: the sums of five rows are kept.
inline Acc<Matrix<float>> blur_in_five_rows(Acc<Matrix<float>> image) {
  auto p = hs::pull(image);
  auto last = hs::shape(image)[1] - 1;
  auto rows = hs::pull(hs::shape(image), [=](auto i, auto j) {
    auto column = [&](int k) { return p(i, hs::clamp(j + k, 0, last)); };
    return column(-2) + column(-1) + column(0) + column(1) + column(2);
  });
  return hs::force(hs::stencil(
      [](auto at) { return (at(-2, 0) + at(-1, 0) + at(0, 0) + at(1, 0) + at(2, 0)) / 25.0f; },
      hs::boundary::clamp, rows));
}

/// The Fourier transform of n numbers, n a power of two, by decimation in frequency: each stage is
/// a kernel of butterflies that write two elements each, and a last kernel reverses the bits of the
/// indices. (Cooley and Tukey 1965, in the order of Gentleman and Sande 1966.)
inline Acc<Vector<std::complex<float>>> butterflies(int64_t n, Acc<Vector<std::complex<float>>> a) {
  using Complex = std::complex<float>;
  constexpr int64_t long_enough = 32;  // iterations of an inner loop
  auto size = hs::size(a);
  auto turn = [step = static_cast<float>(-2 * std::numbers::pi / static_cast<double>(n))](auto k) {
    return Exp<Complex>(hs::cos(hs::cast<float>(k) * step), hs::sin(hs::cast<float>(k) * step));
  };
  auto turns = hs::pull(hs::force(hs::pull(size / 2, turn)));
  for (int64_t half = n / 2; half > 0; half /= 2) {
    auto x = hs::pull(a);
    auto blocks = size / (2 * half);
    auto butterfly = [=](auto block, auto k) {
      auto at = block * (2 * half) + k;
      auto low = x(at), high = x(at + half);
      auto turned = (low - high) * turns(k * (n / 2 / half));
      return std::tuple{std::pair{at, low + high}, std::pair{at + half, turned}};
    };
    auto stage = half >= long_enough
                     ? hs::push_many<2>(hs::ix(blocks, half), size, butterfly)
                     : hs::push_many<2>(hs::ix(half, blocks), size,
                                        [=](auto k, auto block) { return butterfly(block, k); });
    a = hs::force(stage);
  }
  const int bits = std::countr_zero(static_cast<std::uint64_t>(n));
  return hs::force(hs::permute_bijective(
      size,
      [bits](Exp<int64_t> i) {
        Exp<int64_t> reversed = 0;
        for (int b = 0; b < bits; ++b) reversed = (reversed << 1) | ((i >> b) & 1);
        return reversed;
      },
      a));
}

/// exp(-2 pi i k / n) for k below n / 4.
inline hs::Vector<std::complex<float>> quarter_turn(int64_t n) {
  std::vector<std::complex<float>> turns;
  for (int64_t k = 0; k < std::max<int64_t>(n / 4, 1); ++k)
    turns.emplace_back(
        std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)));
  return hs::Vector<std::complex<float>>(hs::ix(std::ssize(turns)), turns);
}

/// The Fourier transform of n numbers, n a power of two, by butterflies of four writes in
/// Stockham's order: each stage reads four contiguous parts of the array and writes its results in
/// order, so no indices need to be reversed at the end. `inner` transforms are interleaved.
inline Acc<Vector<std::complex<float>>> wide_butterflies(int64_t n,
                                                         Acc<Vector<std::complex<float>>> a) {
  using Complex = std::complex<float>;
  constexpr int64_t long_enough = 16;  // iterations of an inner loop
  const auto turns = hs::pull(hs::use(quarter_turn(n)));
  const auto size = hs::size(a);
  int64_t inner = 1;
  for (; n / inner >= 4; inner *= 4) {
    const int64_t outer = n / inner / 4;
    auto butterfly = [=, x = hs::pull(a)](auto p, auto q) {
      auto at = q + inner * p;
      auto x0 = x(at), x1 = x(at + n / 4), x2 = x(at + n / 2), x3 = x(at + n / 4 * 3);
      auto turn = turns(p * inner);
      auto turn2 = turn * turn;
      auto even = x0 + x2, odd = x1 + x3, left = x0 - x2, difference = x1 - x3;
      auto right = Exp<Complex>(-hs::imag(difference), hs::real(difference));
      auto to = q + 4 * inner * p;
      return std::tuple{std::pair{to, even + odd}, std::pair{to + inner, turn * (left - right)},
                        std::pair{to + 2 * inner, turn2 * (even - odd)},
                        std::pair{to + 3 * inner, turn * turn2 * (left + right)}};
    };
    const auto flat = [=](Exp<int64_t> i) { return butterfly(i / inner, i % inner); };
    a = inner >= long_enough ? hs::force(hs::push_many<4>(hs::ix(outer, inner), size, butterfly))
                             : hs::force(hs::push_many<4>(n / 4, size, flat));
  }
  if (inner == n) return a;
  auto last = [x = hs::pull(a), inner](auto q) {
    auto x0 = x(q), x1 = x(q + inner);
    return std::tuple{std::pair{q, x0 + x1}, std::pair{q + inner, x0 - x1}};
  };
  return hs::force(hs::push_many<2>(inner, size, last));
}

}  // namespace programs
