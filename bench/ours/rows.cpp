// Hasten's side of the cases on rows that are folded before their elements, or while others are.
#include "ours/common.hpp"
#include "ours/ours.hpp"

namespace bench {
namespace {

using hs::Acc, hs::Matrix, hs::Vector;

Acc<Vector<float>> row_sums(Acc<Matrix<float>> x) { return hs::sum(x); }

Acc<Matrix<float>> softmax(Acc<Matrix<float>> x) {
  const auto n = hs::shape(x)[1];
  const auto along = [&](const auto& of_rows) {
    return hs::replicate(hs::over(hs::keep, n), of_rows);
  };
  const auto e =
      hs::zip_with([](auto a, auto m) { return hs::exp(a - m); }, x, along(hs::maximum(x)));
  return hs::zip_with([](auto a, auto s) { return a / s; }, e, along(hs::sum(e)));
}

Acc<Vector<int64_t>> nearest(Acc<Matrix<float>> points, Acc<Matrix<float>> centres) {
  const auto n = hs::shape(points)[0], m = hs::shape(centres)[0];
  const auto squares = hs::zip_with([](auto x, auto y) { return (x - y) * (x - y); },
                                    hs::replicate(hs::over(hs::keep, m, hs::keep), points),
                                    hs::replicate(hs::over(n, hs::keep, hs::keep), centres));
  return hs::argmin(hs::sum(squares));
}

template <class Array>
std::vector<float> flat(const Array& result) {
  std::vector<float> all;
  append(all, result.span());
  return all;
}

}  // namespace

std::vector<Contender> our_row_sums(const float* x, int64_t rows, int64_t n) {
  const auto input = matrix_of(x, rows, n);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(row_sums, options), input] { return f(input); };
      },
      flat<Vector<float>>);
}

std::vector<Contender> our_softmax(const float* x, int64_t rows, int64_t n) {
  const auto input = matrix_of(x, rows, n);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(softmax, options), input] { return f(input); };
      },
      flat<Matrix<float>>);
}

std::vector<Contender> our_nearest(const float* points, const float* centres, int64_t n, int64_t m,
                                   int64_t d) {
  const auto left = matrix_of(points, n, d), right = matrix_of(centres, m, d);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(nearest, options), left, right] { return f(left, right); };
      },
      flat<Vector<int64_t>>);
}

}  // namespace bench
