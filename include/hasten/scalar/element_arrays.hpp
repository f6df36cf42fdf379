// Elements that are small arrays, std::array<T, K>: e[k] reads at a computed position, and update
// returns the array with one element replaced. Useful for state machines, stacks and small heaps.
// In the state of a loop, the update is done in place; constant tables belong in arrays of the
// program.
#pragma once

#include <hasten/detail/lift.hpp>

namespace hasten {

/// The array with element k replaced by x. k is a plain integer, or an Exp, which is clamped into
/// range (as in e[k]). Work: one write in the state of a loop; otherwise, or for small K, one
/// select per element.
template <class T, std::size_t K, detail::IndexScalar I, class X>
Exp<std::array<T, K>> update(const Exp<std::array<T, K>>& a, const I& k, const X& x,
                             detail::Where where = detail::Where::current()) {
  static_assert(detail::converts_to<X, T>,
                "hasten::update: the new element must convert to the element type of the array: "
                "cast<T>(x)");
  if constexpr (detail::converts_to<X, T>) {
    const detail::Term element = detail::converted<T>(x, where);
    if constexpr (detail::Integer<I>) {
      return detail::exp_of<std::array<T, K>>(
          detail::known_update(detail::term_of(a), static_cast<std::int64_t>(k), element, where));
    } else {
      return detail::exp_of<std::array<T, K>>(
          detail::choose_update(detail::term_of(a), detail::index_term(k), element));
    }
  } else {
    return a;
  }
}

}  // namespace hasten
