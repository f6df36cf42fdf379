// Arrays joined one after the other.
#pragma once

#include <hasten/detail/element_operator.hpp>
#include <hasten/elementwise.hpp>
#include <hasten/shape_ops.hpp>

namespace hasten::detail {

/// A range of arrays of one type.
template <class R>
concept ArrayRange = !is_acc<R> && requires(const R& range) {
  { *std::begin(range) } -> std::convertible_to<const typename R::value_type&>;
  std::end(range);
  requires is_acc<typename R::value_type>;
};

template <class A, class... As>
constexpr auto check_one_type() {
  static_assert((std::is_same_v<A, As> && ...),
                "hasten::concat: the arrays must have one element type and one rank");
}

template <int D, class A>
A concatenated(std::vector<Term> sources, const Call& call) {
  check_axis<rank_of_array<A>>();
  if (sources.empty()) return A();
  if (sources.size() == 1) return acc_of<ElementOf<A>, rank_of_array<A>>(std::move(sources[0]));
  constexpr unsigned axis = axis_of<D, rank_of_array<A>>();
  return acc_of<ElementOf<A>, rank_of_array<A>>(
      concat(axis, std::move(sources), call.operation, call.where));
}

template <int D, ArrayRange R>
auto concat_range(const R& arrays, const Call& call) {
  std::vector<Term> sources;
  for (const auto& a : arrays) sources.push_back(term_of(a));
  return concatenated<D, typename R::value_type>(std::move(sources), call);
}

template <int D, class A, class... As>
auto concat_given(const Call& call, const A& first, const As&... rest) {
  return with_given(
      [&](const auto& head, const auto&... tail) {
        check_one_type<std::remove_cvref_t<decltype(head)>,
                       std::remove_cvref_t<decltype(tail)>...>();
        return concatenated<D, A>({term_of(head), term_of(tail)...}, call);
      },
      first, rest...);
}

}  // namespace hasten::detail

namespace hasten {

/// 2 to 9 arrays one after the other along the innermost axis; other extents intersect.
template <class A, class B, class C = detail::NotGiven, class D = detail::NotGiven,
          class E = detail::NotGiven, class G = detail::NotGiven, class H = detail::NotGiven,
          class I = detail::NotGiven, class J = detail::NotGiven>
auto concat(const A& a, const B& b, const C& c = {}, const D& d = {}, const E& e = {},
            const G& g = {}, const H& h = {}, const I& i = {}, const J& j = {},
            detail::Where where = detail::Where::current()) {
  return detail::concat_given<-1>({"concat", where}, a, b, c, d, e, g, h, i, j);
}
/// The arrays of a range (a std::vector<Acc<...>>, say); none give an empty array.
template <detail::ArrayRange R>
auto concat(const R& arrays, detail::Where where = detail::Where::current()) {
  return detail::concat_range<-1>(arrays, {"concat", where});
}

/// The same along axis Axis.
template <int Axis, class A, class B, class C = detail::NotGiven, class D = detail::NotGiven,
          class E = detail::NotGiven, class G = detail::NotGiven, class H = detail::NotGiven,
          class I = detail::NotGiven, class J = detail::NotGiven>
auto concat_on(const A& a, const B& b, const C& c = {}, const D& d = {}, const E& e = {},
               const G& g = {}, const H& h = {}, const I& i = {}, const J& j = {},
               detail::Where where = detail::Where::current()) {
  return detail::concat_given<Axis>({"concat_on", where}, a, b, c, d, e, g, h, i, j);
}
/// The arrays of a range.
template <int Axis, detail::ArrayRange R>
auto concat_on(const R& arrays, detail::Where where = detail::Where::current()) {
  return detail::concat_range<Axis>(arrays, {"concat_on", where});
}

}  // namespace hasten
