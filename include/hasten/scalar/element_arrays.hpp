// Elements that are arrays of a few, std::array<T, K>: e[k] reads one at a place that is computed,
// update gives the array with another one there: for states of machines, stacks, small heaps. As a
// loop's state it is changed in place; tables that nobody changes are arrays of the program.
#pragma once

#include <hasten/detail/lift.hpp>

namespace hasten {

/// The array with x in place of element k: a plain integer, or an Exp, which is clamped into range
/// (as e[k] is). Work: one write in the state of a loop, else or for small K a select for each.
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
