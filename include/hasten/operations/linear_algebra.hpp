// Products of matrices and vectors, and norms. Sums of half precision are accumulated in float and
// rounded once.
#pragma once

#include <hasten/detail/accurate.hpp>
#include <hasten/detail/terms/product.hpp>

namespace hasten::detail {

template <class T, class S>
constexpr auto check_factors() {
  static_assert(std::is_same_v<T, S>,
                "hasten: the factors of a product must have one element type: cast<T>(a) one");
  static_assert(is_number_leaf<T>,
                "hasten: this product needs arrays of numbers; of other elements write it as what "
                "it is: a fold over zip_with over replicate");
}

template <class R, class T>
using ProductType = std::conditional_t<std::is_same_v<R, OwnType>, T, R>;

/// The sums of x * y along the innermost axis, accumulated in the type R or the elements' own.
template <class R, class T, std::size_t N>
auto sums_of_products(const Call& call, const Acc<Array<T, N>>& a, const Acc<Array<T, N>>& b) {
  using Result = ProductType<R, T>;
  static_assert(is_number_leaf<Result>, "hasten: products are taken in a type of numbers");
  using Wide = Accurate<Result>;
  const auto multiply = [](const Exp<T>& x, const Exp<T>& y) {
    return number_cast<Wide>(x) * number_cast<Wide>(y);
  };
  const auto products = elementwise(Meet::equal, call.operation, call.where, multiply, a, b);
  return numbers_cast<Result>(sum_rows<OwnType>(call, products), call);
}

template <class T, std::size_t N>
auto norm2_rows(const Call& call, const Acc<Array<T, N>>& a) {
  static_assert(is_floating_leaf<T> || is_complex_leaf<T>,
                "hasten::norm2: needs floating or complex numbers: cast<float>(a) or "
                "cast<double>(a) first");
  using Wide = Magnitude<Accurate<T>>;
  const auto squares = elementwise(
      call.operation, call.where,
      [](const Exp<T>& x) { return squared(number_cast<Accurate<T>>(x)); }, a);
  return elementwise(
      call.operation, call.where,
      [](const Exp<Wide>& x) { return number_cast<Magnitude<T>>(hasten::sqrt(x)); },
      sum_rows<OwnType>(call, squares));
}

}  // namespace hasten::detail

namespace hasten {

/// The product of two matrices, of a matrix and a vector, of a vector and a matrix, or of two
/// vectors (their dot product). Sums over the innermost axis of the first operand and the outermost
/// axis of the second; throws ShapeError if their extents differ. matmul<R>(a, b) multiplies and
/// adds in the type R. Only the result is stored. Work: one multiplication for each element of the
/// result and each index of the summed axis.
template <class R = detail::OwnType, class T, std::size_t N, class S, std::size_t M>
auto matmul(const Acc<Array<T, N>>& a, const Acc<Array<S, M>>& b,
            detail::Where where = detail::Where::current()) {
  constexpr bool fits = (N == 1 || N == 2) && (M == 1 || M == 2);
  static_assert(fits, "hasten::matmul: multiplies matrices and vectors, arrays of rank 1 or 2");
  detail::check_factors<T, S>();
  if constexpr (fits && std::is_same_v<T, S>) {
    constexpr std::size_t space = N + M - 1;
    const detail::Call call{"matmul", where};
    const auto [x, y] = detail::product_factors(detail::term_of(a), detail::term_of(b), call);
    return detail::sums_of_products<R>(call, detail::acc_of<T, space>(x),
                                       detail::acc_of<T, space>(y));
  }
}

/// The sum of the products of corresponding elements; throws ShapeError if the sizes differ.
/// Complex numbers are not conjugated: dot(conj(a), b) is the inner product. dot<R>(a, b)
/// multiplies and adds in the type R.
template <class R = detail::OwnType, class T, std::size_t N, class S, std::size_t M>
auto dot(const Acc<Array<T, N>>& a, const Acc<Array<S, M>>& b,
         detail::Where where = detail::Where::current()) {
  static_assert(N == 1 && M == 1, "hasten::dot: needs two vectors; of matrices take matmul(a, b)");
  detail::check_factors<T, S>();
  if constexpr (N == 1 && M == 1 && std::is_same_v<T, S>)
    return detail::sums_of_products<R>({"dot", where}, a, b);
}

/// The matrix of all products: the element in row i, column j is a[i] * b[j].
template <class T, std::size_t N, class S, std::size_t M>
auto outer(const Acc<Array<T, N>>& a, const Acc<Array<S, M>>& b,
           detail::Where where = detail::Where::current()) {
  static_assert(N == 1 && M == 1, "hasten::outer: needs two vectors: flatten(a)");
  detail::check_factors<T, S>();
  if constexpr (N == 1 && M == 1 && std::is_same_v<T, S>) {
    const detail::Call call{"outer", where};
    const auto [x, y] = detail::outer_factors(detail::term_of(a), detail::term_of(b), call);
    return detail::elementwise(
        detail::Meet::equal, "outer", where, [](const Exp<T>& l, const Exp<T>& r) { return l * r; },
        detail::acc_of<T, 2>(x), detail::acc_of<T, 2>(y));
  }
}

/// The Euclidean norm along the innermost axis: the square root of the sum of squared magnitudes.
/// It is 0 for an empty axis and infinite if the squares overflow. The norm of complex numbers is
/// real.
template <class T, std::size_t N>
auto norm2(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_axis<N>();
  return detail::norm2_rows({"norm2", where}, a);
}
/// Like norm2, along axis D.
template <int D, class T, std::size_t N>
auto norm2_on(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"norm2_on", where};
  return detail::norm2_rows(call, detail::folded_on<D>(a, call));
}
/// The Euclidean norm of all elements.
template <class T, std::size_t N>
auto norm2_all(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"norm2_all", where};
  return detail::norm2_rows(call, detail::whole(a, call));
}

}  // namespace hasten
