// Hasten's side of the cases that fold rows before, or while, their elements are used.
#include "ours/common.hpp"
#include "ours/ours.hpp"
#include "ours/programs.hpp"

namespace bench {
namespace {

template <class Array>
std::vector<float> flat(const Array& result) {
  std::vector<float> all;
  append(all, result.span());
  return all;
}

}  // namespace

std::vector<Contender> our_row_sums(const float* x, int64_t rows, int64_t n) {
  const auto input = lent_matrix(x, rows, n);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(row_sums, options), input] { return f(input); };
      },
      flat<hs::Vector<float>>);
}

std::vector<Contender> our_sums_down(const float* x, int64_t rows, int64_t n) {
  const auto input = lent_matrix(x, rows, n);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(sums_down, options), input] { return f(input); };
      },
      flat<hs::Matrix<float>>);
}

std::vector<Contender> our_recurrence(const float* a, const float* b, int64_t n) {
  const auto left = lent_vector(a, n), right = lent_vector(b, n);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(recurrence, options), left, right] { return f(left, right); };
      },
      flat<hs::Vector<float>>);
}

std::vector<Contender> our_softmax(const float* x, int64_t rows, int64_t n) {
  const auto input = lent_matrix(x, rows, n);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(softmax, options), input] { return f(input); };
      },
      flat<hs::Matrix<float>>);
}

std::vector<Contender> our_nearest(const float* points, const float* centres, int64_t n, int64_t m,
                                   int64_t d) {
  const auto left = matrix_of(points, n, d), right = matrix_of(centres, m, d);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(nearest, options), left, right] { return f(left, right); };
      },
      flat<hs::Vector<int64_t>>);
}

}  // namespace bench
