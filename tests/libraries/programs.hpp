// The programs that the tests export and also run in their own process.
#pragma once

#include "../../examples/programs/black_scholes.hpp"
#include "../../examples/programs/blur.hpp"
#include "../../examples/programs/dotp.hpp"
#include "../../examples/programs/fft.hpp"
#include "../../examples/programs/nbody.hpp"
#include "../../examples/programs/sparse.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>

namespace library_programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

// The size of the result depends on data.
inline Acc<Vector<float>> positive(Acc<Vector<float>> x) {
  return hs::filter([](Exp<float> e) { return e > 0.0F; }, x);
}

inline Acc<Vector<float>> sorted(Acc<Vector<float>> x) { return hs::sort(x); }

// Numbers by value, a branch and a loop over whole arrays, results of both kinds.
inline std::tuple<Acc<Vector<float>>, Exp<int64_t>, Exp<float>> relaxed(Acc<Vector<float>> x,
                                                                        Exp<int32_t> rounds,
                                                                        Exp<bool> doubled) {
  using State = Acc<Vector<float>>;
  using Count = Acc<Scalar<int32_t>>;
  auto start = hs::acond(doubled, hs::map([](Exp<float> e) { return e + e; }, x), x);
  auto [result, left] =
      hs::awhile([](State, Count rest) { return hs::the(rest) > 0; },
                 [](State state, Count rest) {
                   auto next = hs::stencil([](auto at) { return (at(-1) + at(0) + at(1)) / 3.0F; },
                                           hs::boundary::clamp, state);
                   return std::tuple{next, hs::unit(hs::the(rest) - 1)};
                 },
                 std::tuple{start, hs::unit(rounds)});
  return {result, hs::size(x), hs::the(hs::sum(result))};
}

// An array and numbers of the exporting process, a permutation, a scan, integers of all sizes.
inline Acc<Vector<int64_t>> running_counts(Acc<Vector<uint8_t>> keys) {
  auto weights = hs::use(Vector<int16_t>{1, -2, 3, -4, 5, -6, 7, -8});
  auto counts =
      hs::histogram(Exp<int64_t>(8), [](Exp<uint8_t> k) { return hs::cast<int64_t>(k) % 8; }, keys);
  return hs::scanl1(
      std::plus<>{},
      hs::zip_with([](auto n, auto w) { return hs::cast<int64_t>(n) * hs::cast<int64_t>(w); },
                   counts, weights));
}

// Vectors of functions that SLEEF has.
inline Acc<Vector<double>> waves(Acc<Vector<double>> x) {
  return hs::map(
      [](Exp<double> e) { return hs::sin(e) + hs::pow(hs::abs(e), 0.3) + hs::exp(-e * e); }, x);
}

inline Acc<Matrix<float>> product(Acc<Matrix<float>> a, Acc<Matrix<float>> b) {
  return hs::matmul(a, b);
}

// Halves, and bools beside numbers.
inline std::tuple<Acc<Vector<hs::half>>, Acc<Vector<bool>>> halved(Acc<Vector<hs::half>> x) {
  return {hs::map([](Exp<hs::half> e) { return hs::exp(e) * hs::half(0.5F); }, x),
          hs::map([](Exp<hs::half> e) { return e > hs::half(1.0F); }, x)};
}

// The result is an argument with another shape.
inline Acc<Vector<float>> flat(Acc<Matrix<float>> x) { return hs::flatten(x); }

// Returns the next state and the current one, which is an argument: callers may pass both as
// places.
inline std::tuple<Acc<Vector<float>>, Acc<Vector<float>>> stepped(Acc<Vector<float>> now,
                                                                  Acc<Vector<float>> before) {
  return {hs::zip_with([](auto a, auto b) { return 2.0F * a - b; }, now, before), now};
}

// One kernel of several loops with different index spaces.
inline Acc<Vector<float>> joined(Acc<Vector<float>> x, Acc<Vector<float>> y) {
  const auto p = hs::pull(x), q = hs::pull(y);
  const auto pairs = hs::push_many<2>(hs::size(x), 2 * hs::size(x), [p](auto i) {
    return std::tuple{std::pair{2 * i, p(i)}, std::pair{2 * i + 1, -p(i)}};
  });
  return hs::force(hs::concat(hs::reverse(q), pairs, hs::map([](auto a) { return a * a; }, q)));
}

// Errors at run time: an index, a divisor, extents, memory.
inline Acc<Vector<float>> gathered(Acc<Vector<float>> x, Acc<Vector<int64_t>> at) {
  return hs::gather(at, x);
}
inline Acc<Vector<int32_t>> divided(Acc<Vector<int32_t>> x, Exp<int32_t> by) {
  return hs::map([=](Exp<int32_t> e) { return e / by; }, x);
}
inline Acc<Matrix<float>> as_rows(Acc<Vector<float>> x, Exp<int64_t> rows) {
  return hs::reshape(hs::ix(rows, Exp<int64_t>(3)), x);
}
inline Acc<Vector<double>> filled(Exp<int64_t> n) {
  return hs::generate(hs::ix(n), [](Exp<Ix<1>> ix) { return hs::cast<double>(ix[0]); });
}

}  // namespace library_programs
