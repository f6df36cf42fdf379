// Binary operators on elements and their seeds, for folds, scans and permutations.
#pragma once

#include <hasten/detail/terms/array.hpp>
#include <hasten/detail/trace.hpp>

namespace hasten::detail {

/// f of two elements; its result must be an element of the same type.
template <class T, class F>
Exp<T> combined(F& f, const Exp<T>& x, const Exp<T>& y) {
  const auto result = call_with_all(f, x, y);
  using R = std::remove_cvref_t<decltype(result)>;
  if constexpr (Liftable<R>) {
    fold_operator_must_return_the_element<Lifted<R>, T>();
    if constexpr (std::is_same_v<Lifted<R>, T>) return lift(result);
  } else {
    static_assert(Liftable<R> || std::is_same_v<R, NotCallable>,
                  "hasten: the result of this operator is no element: return an Exp, a number or a "
                  "group of these");
  }
  return Exp<T>();
}

/// Checks that an operator takes two elements and returns one; see check_function.
template <class F, class T>
constexpr auto check_operator() {
  constexpr bool fits = Takes<F, Exp<T>, Exp<T>>;
  static_assert(fits,
                "hasten: this operator cannot be called with the two elements it gets here: check "
                "the number and types of its parameters");
  if constexpr (fits) {
    using R = std::remove_cvref_t<decltype(std::declval<F&>()(std::declval<const Exp<T>&>(),
                                                              std::declval<const Exp<T>&>()))>;
    constexpr bool is_element = Liftable<R>;
    static_assert(is_element,
                  "hasten: the result of this operator is no element: return an Exp, a number or a "
                  "group of these");
    if constexpr (is_element)
      static_assert(std::is_same_v<Lifted<R>, T>,
                    "hasten: the result of the operator of a fold must have the element type of "
                    "the array; map the array to the result's type first, or cast<T> the result");
  }
}

/// Which argument of the operator comes first in the array.
enum class Side : std::uint8_t { left, right };

/// A traced operator. With Side::right, the parameters of f are swapped.
template <class T, class F>
Function element_operator(const Call& call, F f, Side side = Side::left) {
  return trace(List<T, T>{}, call.operation, call.where,
               [&](const Exp<T>& x, const Exp<T>& y) {
                 return side == Side::left ? combined<T>(f, x, y) : combined<T>(f, y, x);
               })
      .fn;
}

/// The seed, converted to the element type.
template <class T, class Z>
Term seed_term(const Z& z, const Where& where) {
  static_assert(converts_to<Z, T>,
                "hasten: the seed must convert to the element type of the array: cast<T>(seed), or "
                "map the array first");
  if constexpr (converts_to<Z, T>) {
    return converted<T>(z, where);
  } else {
    return Term{};
  }
}

template <std::size_t N>
constexpr auto check_axis() {
  static_assert(N > 0, "hasten: this operation works along an axis: an array of rank 0 has none");
}

}  // namespace hasten::detail
