// The measured programs of several processes, besides programs of the examples.
#pragma once

#include <hasten/hasten.hpp>

#include <functional>
#include <tuple>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

// Poisson's equation on a grid whose border is zero: the solution after some steps from zero, and
// the square of the residual. (Hestenes and Stiefel, 1952.)
inline std::tuple<Acc<Matrix<double>>, Acc<Scalar<double>>> grid_gradients(
    Exp<int64_t> steps, Acc<Matrix<double>> right) {
  using Plane = Acc<Matrix<double>>;
  using Number = Acc<Scalar<double>>;
  const auto dot = [](Plane a, Plane b) { return hs::sum_all(a * b); };
  const auto step = [=](Plane x, Plane residual, Plane direction, Number rest) {
    auto image = hs::stencil(
        [](auto at) { return 4.0 * at(0, 0) - (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)); },
        hs::boundary::outside(0.0), direction);
    auto length = hs::the(rest) / hs::the(dot(direction, image));
    auto next = residual - length * image;
    auto next_rest = dot(next, next);
    auto turn = hs::the(next_rest) / hs::the(rest);
    return std::tuple{x + length * direction, next, next + turn * direction, next_rest};
  };
  auto zeros = hs::fill(hs::shape(right), Exp<double>(0.0));
  auto [x, residual, direction, rest] =
      hs::aiterate(steps, step, std::tuple{zeros, right, right, dot(right, right)});
  return {x, rest};
}

// Heat in a block: each point becomes the mean of its six neighbours and itself.
inline Acc<hs::Array<float, 3>> heat_3d(Exp<int64_t> steps, Acc<hs::Array<float, 3>> start) {
  const auto step = [](Acc<hs::Array<float, 3>> block) {
    return hs::stencil(
        [](auto at) {
          return (at(0, 0, 0) + at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) +
                  at(0, 0, -1) + at(0, 0, 1)) /
                 7.0f;
        },
        hs::boundary::clamp, block);
  };
  return hs::aiterate(steps, step, start);
}

inline Acc<Vector<int64_t>> histogram_of(Acc<Vector<uint32_t>> values) {
  auto zeros = hs::fill(hs::ix(256), Exp<int64_t>(0));
  return hs::permute(
      std::plus<>{}, zeros, [=](auto i) { return hs::some(hs::cast<int64_t>(values[i] & 255u)); },
      hs::map([](auto) { return Exp<int64_t>(1); }, values));
}

inline Acc<Vector<uint32_t>> sorted(Acc<Vector<uint32_t>> values) { return hs::sort(values); }

// One round of k-means: moves each centre to the mean of the points that are nearest to it.
inline Acc<Matrix<float>> k_means_round(Acc<Matrix<float>> points, Acc<Matrix<float>> centres) {
  auto n = hs::shape(points)[0], d = hs::shape(points)[1], k = hs::shape(centres)[0];
  auto gaps = hs::replicate(hs::over(hs::keep, k, hs::keep), points) -
              hs::replicate(hs::over(n, hs::keep, hs::keep), centres);
  auto nearest = hs::compute(hs::argmin(hs::sum(gaps * gaps)));
  // Sums of integers are the same in any order.
  auto zeros = hs::generate(hs::ix(k, d), [](auto) { return Exp<int64_t>(0); });
  auto sums = hs::permute(
      std::plus<>{}, zeros, [=](auto ix) { return hs::some(hs::ix(nearest[ix[0]], ix[1])); },
      hs::map([](auto x) { return hs::cast<int64_t>(x * 65536.0f); }, points));
  auto counts = hs::permute(
      std::plus<>{}, hs::generate(k, [](auto) { return Exp<int64_t>(0); }),
      [=](auto i) { return hs::some(nearest[i]); },
      hs::map([](auto) { return Exp<int64_t>(1); }, nearest));
  return hs::imap(
      [=](auto ix, auto sum) {
        return hs::cast<float>(sum) / 65536.0f / hs::cast<float>(hs::max(counts[ix[0]], 1));
      },
      sums);
}

}  // namespace programs
