// Sums of half precision are accumulated in float: the types that products, means and the like use.
#pragma once

#include <hasten/operations/folds.hpp>
#include <hasten/scalar/complex.hpp>
#include <hasten/scalar/control.hpp>

namespace hasten::detail {

template <class T>
inline constexpr bool is_half_precision = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
/// The type in which elements of type T are added up.
template <class T>
using Accurate = std::conditional_t<is_half_precision<T>, float, T>;

template <class T>
inline constexpr bool is_number_leaf = is_numeric_leaf<T> || is_complex_leaf<T>;

template <class T>
struct MagnitudeOf {
  using type = T;
};
template <ComplexLeaf T>
struct MagnitudeOf<T> {
  using type = typename T::value_type;
};
/// The type of a number's magnitude.
template <class T>
using Magnitude = typename MagnitudeOf<T>::type;

/// The squared magnitude.
template <class T>
Exp<Magnitude<T>> squared(const Exp<T>& x) {
  if constexpr (is_complex_leaf<T>) {
    return hasten::norm(x);
  } else {
    return x * x;
  }
}

/// The number as a T; a T is returned unchanged.
template <class T, class S>
Exp<T> number_cast(const Exp<S>& x) {
  if constexpr (std::is_same_v<T, S>) {
    return x;
  } else {
    return hasten::cast<T>(x);
  }
}
template <class T, class S, std::size_t N>
Acc<Array<T, N>> numbers_cast(const Acc<Array<S, N>>& a, const Call& call) {
  if constexpr (std::is_same_v<T, S>) {
    return a;
  } else {
    return elementwise(
        call.operation, call.where, [](const Exp<S>& x) { return hasten::cast<T>(x); }, a);
  }
}

}  // namespace hasten::detail
