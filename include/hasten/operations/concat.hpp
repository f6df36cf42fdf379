// Concatenation of arrays.
#pragma once

#include <hasten/detail/element_operator.hpp>
#include <hasten/operations/elementwise.hpp>
#include <hasten/operations/shape_ops.hpp>

namespace hasten::detail {

/// A range of arrays of one type.
template <class R>
concept ArrayRange = !is_acc<R> && requires(const R& range) {
  { *std::begin(range) } -> std::convertible_to<const typename R::value_type&>;
  std::end(range);
  requires is_acc<typename R::value_type>;
};

/// The first of several arrays of type A, and its source location.
template <class A>
class FirstArray {
 public:
  template <class X>
  explicit(false) FirstArray(const X& array, Where where = Where::current()) : where_(where) {
    static_assert(std::is_same_v<X, A>,
                  "hasten::concat: the arrays must have one element type and one rank");
    if constexpr (std::is_same_v<X, A>) term_ = term_of(array);
  }
  [[nodiscard]] const Term& term() const { return term_; }
  [[nodiscard]] const Where& where() const { return where_; }

 private:
  Term term_;
  Where where_;
};

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
A concat_given(const Call& call, const Term& first, const A& second, const As&... rest) {
  check_array<A>();
  static_assert((std::is_same_v<A, As> && ...),
                "hasten::concat: the arrays must have one element type and one rank");
  return concatenated<D, A>({first, term_of(second), term_of(rest)...}, call);
}

}  // namespace hasten::detail

namespace hasten {

/// Concatenates two or more arrays along the innermost axis; the other extents intersect.
template <class A, class... As>
  requires detail::is_acc<A>
auto concat(const detail::FirstArray<std::type_identity_t<A>>& a, const A& b, const As&... rest) {
  return detail::concat_given<-1>({"concat", a.where()}, a.term(), b, rest...);
}
/// Concatenates the arrays of a range (such as a std::vector<Acc<...>>); an empty range gives an
/// empty array.
template <detail::ArrayRange R>
auto concat(const R& arrays, detail::Where where = detail::Where::current()) {
  return detail::concat_range<-1>(arrays, {"concat", where});
}

/// Like concat, along axis Axis.
template <int Axis, class A, class... As>
  requires detail::is_acc<A>
auto concat_on(const detail::FirstArray<std::type_identity_t<A>>& a, const A& b,
               const As&... rest) {
  return detail::concat_given<Axis>({"concat_on", a.where()}, a.term(), b, rest...);
}
/// Concatenates the arrays of a range along axis Axis.
template <int Axis, detail::ArrayRange R>
auto concat_on(const R& arrays, detail::Where where = detail::Where::current()) {
  return detail::concat_range<Axis>(arrays, {"concat_on", where});
}

}  // namespace hasten
