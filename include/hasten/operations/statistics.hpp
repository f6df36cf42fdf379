// Means, variances and softmax. Sums of half precision are accumulated in float and rounded once.
#pragma once

#include <hasten/detail/accurate.hpp>
#include <hasten/detail/terms/product.hpp>

#include <limits>

namespace hasten::detail {

/// The type of a mean: double for integers and bool.
template <class T>
using MeanType = std::conditional_t<is_integral_leaf<T> || std::is_same_v<T, bool>, double, T>;

template <class T>
Exp<T> divided(const Exp<T>& total, const Exp<Magnitude<T>>& n) {
  if constexpr (is_complex_leaf<T>) {
    return Exp<T>(hasten::real(total) / n, hasten::imag(total) / n);
  } else {
    return total / n;
  }
}

/// The innermost extent as a number.
template <class W, class T, std::size_t N>
Exp<W> row_size(const Acc<Array<T, N>>& a) {
  return hasten::cast<W>(exp_of<std::int64_t>(extent_of(term_of(a), static_cast<unsigned>(N - 1))));
}

/// The sums of rows divided by their size, as an R.
template <class R, class W, std::size_t N>
auto means_of(const Call& call, const Acc<Array<W, N>>& a) {
  const auto n = row_size<Magnitude<W>>(a);
  return elementwise(
      call.operation, call.where,
      [n](const Exp<W>& total) { return number_cast<R>(divided(total, n)); },
      sum_rows<OwnType>(call, a));
}

template <class T>
constexpr auto check_mean() {
  static_assert(is_number_leaf<T> || std::is_same_v<T, bool>,
                "hasten: means and variances are of arrays of numbers");
}

template <class T, std::size_t N>
auto mean_rows(const Call& call, const Acc<Array<T, N>>& a) {
  check_mean<T>();
  using R = MeanType<T>;
  return means_of<R>(call, numbers_cast<Accurate<R>>(a, call));
}

// Two passes: the sum of squares minus the square of the sum would lose all digits of numbers far
// from 0. The sum of the distances corrects for the rounding of the mean.
template <class T, std::size_t N>
auto variance_rows(const Call& call, const Acc<Array<T, N>>& a) {
  check_mean<T>();
  using R = MeanType<T>;
  using W = Accurate<R>;
  using Real = Magnitude<W>;
  const auto wide = numbers_cast<W>(a, call);
  const Term means = along_rows(term_of(means_of<W>(call, wide)),
                                extent_of(term_of(a), static_cast<unsigned>(N - 1)), call);
  const auto distances = elementwise(
      Meet::equal, call.operation, call.where,
      [](const Exp<W>& x, const Exp<W>& mean) { return x - mean; }, wide, acc_of<W, N>(means));
  const auto squares = elementwise(
      call.operation, call.where, [](const Exp<W>& d) { return squared(d); }, distances);
  const auto n = row_size<Real>(a);
  const auto variance = [n](const Exp<Real>& total, const Exp<W>& rest) {
    const Exp<Real> sum = total - squared(rest) / n;
    return number_cast<Magnitude<R>>(hasten::max(sum, Exp<Real>(0)) / n);
  };
  return elementwise(Meet::equal, call.operation, call.where, variance,
                     sum_rows<OwnType>(call, squares), sum_rows<OwnType>(call, distances));
}

/// The elements minus the greatest of their row, and the exponentials of these differences.
template <class W, std::size_t N>
struct SoftMax {
  Acc<Array<W, N>> centred, exponentials;
  Term extent;

  SoftMax(const Call& call, const Acc<Array<W, N>>& a)
      : extent(extent_of(term_of(a), static_cast<unsigned>(N - 1))) {
    const auto greatest = fold_rows(
        call, [](const Exp<W>& x, const Exp<W>& y) { return extremum(ScalarOp::max, x, y); },
        literal(-std::numeric_limits<W>::infinity(), LiteralMode::baked), a);
    centred = with_rows(call, [](const Exp<W>& x, const Exp<W>& m) { return x - m; }, a, greatest);
    exponentials = elementwise(
        call.operation, call.where, [](const Exp<W>& x) { return hasten::exp(x); }, centred);
  }

  /// f of each element and the value that belongs to its row.
  template <class F>
  auto with_rows(const Call& call, F f, const Acc<Array<W, N>>& a,
                 const Acc<Array<W, N - 1>>& rows) const {
    const auto repeated = acc_of<W, N>(along_rows(term_of(rows), extent, call));
    return elementwise(Meet::equal, call.operation, call.where, f, a, repeated);
  }
};

template <class T, std::size_t N>
constexpr auto check_soft_max() {
  check_axis<N>();
  static_assert(is_floating_leaf<T>,
                "hasten: soft-max works on floating numbers: cast<float>(a) or cast<double>(a) "
                "first");
}

}  // namespace hasten::detail

namespace hasten {

/// The mean along the innermost axis; NaN for an empty axis. For integers and bool it is a double.
template <class T, std::size_t N>
auto mean(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  return detail::mean_rows({"mean", where}, a);
}
/// Like mean, along axis D.
template <int D, class T, std::size_t N>
auto mean_on(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"mean_on", where};
  return detail::mean_rows(call, detail::folded_on<D>(a, call));
}
/// The mean of all elements.
template <class T, std::size_t N>
auto mean_all(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"mean_all", where};
  return detail::mean_rows(call, detail::whole(a, call));
}

/// The variance along the innermost axis: the mean of the squared distances from the mean (divided
/// by n, not n - 1). It is 0 for one element and NaN for none; a double for integers and bool, and
/// real for complex numbers. Work: two passes, so that numbers far from 0 lose no digits.
template <class T, std::size_t N>
auto variance(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  return detail::variance_rows({"variance", where}, a);
}
/// Like variance, along axis D.
template <int D, class T, std::size_t N>
auto variance_on(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"variance_on", where};
  return detail::variance_rows(call, detail::folded_on<D>(a, call));
}
/// The variance of all elements.
template <class T, std::size_t N>
auto variance_all(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"variance_all", where};
  return detail::variance_rows(call, detail::whole(a, call));
}

/// exp(x) divided by the sum of exp along the innermost axis, without overflow: each row adds up to
/// 1. An empty row stays empty. A row with NaN or infinity, or of -infinity alone, becomes NaN.
template <class T, std::size_t N>
Acc<Array<T, N>> softmax(const Acc<Array<T, N>>& a,
                         detail::Where where = detail::Where::current()) {
  detail::check_soft_max<T, N>();
  using W = detail::Accurate<T>;
  const detail::Call call{"softmax", where};
  const detail::SoftMax<W, N> parts(call, detail::numbers_cast<W>(a, call));
  const auto sums = detail::sum_rows<detail::OwnType>(call, parts.exponentials);
  return parts.with_rows(
      call, [](const Exp<W>& e, const Exp<W>& sum) { return detail::number_cast<T>(e / sum); },
      parts.exponentials, sums);
}

/// The logarithm of softmax, computed without overflow and without the logarithm of a small number.
template <class T, std::size_t N>
Acc<Array<T, N>> log_softmax(const Acc<Array<T, N>>& a,
                             detail::Where where = detail::Where::current()) {
  detail::check_soft_max<T, N>();
  using W = detail::Accurate<T>;
  const detail::Call call{"log_softmax", where};
  const detail::SoftMax<W, N> parts(call, detail::numbers_cast<W>(a, call));
  const auto logs = detail::elementwise(
      "log_softmax", where, [](const Exp<W>& sum) { return hasten::log(sum); },
      detail::sum_rows<detail::OwnType>(call, parts.exponentials));
  return parts.with_rows(
      call, [](const Exp<W>& x, const Exp<W>& log) { return detail::number_cast<T>(x - log); },
      parts.centred, logs);
}

}  // namespace hasten
