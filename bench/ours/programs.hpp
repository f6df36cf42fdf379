// Measured programs besides those of examples/programs.
#pragma once

#include <hasten/hasten.hpp>

#include <cstdint>
#include <functional>
#include <tuple>

namespace bench {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

inline Acc<Scalar<float>> sum_of(Acc<Vector<float>> x) { return hs::sum(x); }

// -- moving elements ------------------------------------------------------------------------------

inline Acc<Matrix<float>> mean_5_by_5(Acc<Matrix<float>> image) {
  const auto mean = [](auto at) {
    Exp<float> sum = 0.0f;
    for (int i = -2; i <= 2; ++i)
      for (int j = -2; j <= 2; ++j) sum += at(i, j);
    return sum / 25.0f;
  };
  return hs::stencil(mean, hs::boundary::clamp, image);
}

inline Acc<Vector<float>> sums(Acc<Vector<float>> x) { return hs::scanl1(std::plus<>{}, x); }

inline Acc<Vector<int32_t>> positive(Acc<Vector<int32_t>> x) {
  return hs::filter([](auto v) { return v > 0; }, x);
}

inline Acc<Vector<float>> segment_sums(Acc<Vector<float>> x, Acc<Vector<int32_t>> lengths) {
  return hs::fold_seg(std::plus<>{}, 0.0f, x, lengths);
}

inline Acc<Vector<int64_t>> counts(Exp<int64_t> bins, Acc<Vector<int32_t>> keys) {
  return hs::histogram(bins, [](auto key) { return key; }, keys);
}

inline Acc<Vector<float>> sums_by_place(Exp<int64_t> bins, Acc<Vector<int32_t>> keys,
                                        Acc<Vector<float>> x) {
  return hs::permute(std::plus<>{}, hs::fill(bins, 0.0f), [=](auto i) { return keys[i]; }, x);
}

inline Acc<Vector<uint32_t>> ascending(Acc<Vector<uint32_t>> x) { return hs::sort(x); }
inline Acc<Vector<float>> ascending_floats(Acc<Vector<float>> x) { return hs::sort(x); }
inline auto by_key(Acc<Vector<uint32_t>> keys, Acc<Vector<uint32_t>> values) {
  return hs::sort_by_key(keys, values);
}
inline Acc<Matrix<uint32_t>> ascending_rows(Acc<Matrix<uint32_t>> x) { return hs::sort(x); }

// A loop whose state can be updated in place.
constexpr int64_t damping_rounds = 20;
inline Acc<Vector<float>> damped(Acc<Vector<float>> x) {
  return hs::aiterate(
      damping_rounds,
      [](Acc<Vector<float>> state) {
        return hs::map([](auto v) { return v - v * v * 0.25f; }, state);
      },
      x);
}

inline Acc<Vector<float>> permuted(Acc<Vector<float>> x, Acc<Vector<int32_t>> target) {
  return hs::permute_unique(hs::fill(hs::size(x), 0.0f), [=](auto i) { return target[i]; }, x);
}

// -- rows -----------------------------------------------------------------------------------------

inline Acc<Vector<float>> row_sums(Acc<Matrix<float>> x) { return hs::sum(x); }

inline Acc<Matrix<float>> sums_down(Acc<Matrix<float>> x) {
  return hs::scanl1_on<0>(std::plus<>{}, x);
}

// y[i] = a[i] * y[i - 1] + b[i], with y[-1] = 0, by composing the maps x -> a * x + b.
inline Acc<Vector<float>> recurrence(Acc<Vector<float>> a, Acc<Vector<float>> b) {
  const auto composed = [](const Exp<std::tuple<float, float>>& f,
                           const Exp<std::tuple<float, float>>& g) {
    const auto [fa, fb] = f;
    const auto [ga, gb] = g;
    return std::tuple{fa * ga, fb * ga + gb};
  };
  return hs::map([](const Exp<std::tuple<float, float>>& f) { return hs::get<1>(f); },
                 hs::scanl1(composed, hs::zip(a, b)));
}

inline Acc<Matrix<float>> softmax(Acc<Matrix<float>> x) {
  const auto n = hs::shape(x)[1];
  const auto along = [&](const auto& of_rows) {
    return hs::replicate(hs::over(hs::keep, n), of_rows);
  };
  const auto e =
      hs::zip_with([](auto a, auto m) { return hs::exp(a - m); }, x, along(hs::maximum(x)));
  return hs::zip_with([](auto a, auto s) { return a / s; }, e, along(hs::sum(e)));
}

inline Acc<Vector<int64_t>> nearest(Acc<Matrix<float>> points, Acc<Matrix<float>> centres) {
  const auto n = hs::shape(points)[0], m = hs::shape(centres)[0];
  const auto squares = hs::zip_with([](auto x, auto y) { return (x - y) * (x - y); },
                                    hs::replicate(hs::over(hs::keep, m, hs::keep), points),
                                    hs::replicate(hs::over(n, hs::keep, hs::keep), centres));
  return hs::argmin(hs::sum(squares));
}

}  // namespace bench
