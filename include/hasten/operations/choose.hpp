// Selection of elements: filter, compact, partition, unique, run_lengths. The extents of the
// results are known only at run time. Work: one pass over the elements.
#pragma once

#include <hasten/detail/terms/choose.hpp>
#include <hasten/operations/folds.hpp>
#include <hasten/scalar/control.hpp>

namespace hasten::detail {

template <std::size_t N>
constexpr auto check_vector() {
  static_assert(N == 1, "hasten: this operation works on vectors, arrays of rank 1: flatten(a)");
}

/// The elements where the mask, which has the array's shape, is true; at higher ranks also the
/// number in each row.
template <class T, std::size_t N>
auto compacted(const Call& call, const Acc<Array<bool, N>>& mask, const Acc<Array<T, N>>& a) {
  check_axis<N>();
  const Term flags = flatten_array(term_of(mask), call);
  const Term kept = kept_elements(flags, flatten_array(term_of(a), call), call);
  if constexpr (N == 1) {
    return acc_of<T, 1>(kept);
  } else {
    return std::pair{acc_of<T, 1>(kept), count_rows(call, itself, mask)};
  }
}

/// Whether each element of a vector begins a run of equal neighbours.
template <class T>
Term run_heads(const Call& call, const Acc<Vector<T>>& a) {
  auto traced =
      trace(List<std::int64_t>{}, call.operation, call.where, [&](const Exp<std::int64_t>& i) {
        return hasten::select(i == 0, true, !(a[i - 1] == a[i]));
      });
  return generate(extents_of(term_of(a)), std::move(traced.fn), element_type<bool>(), call.where);
}

}  // namespace hasten::detail

namespace hasten {

/// The elements with p(x), in row-major order. On a vector, returns a vector; at higher ranks, the
/// pair (vector, number of elements in each row).
template <class P, class T, std::size_t N>
auto filter(P p, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const detail::Call call{"filter", where};
  return detail::compacted(call, detail::tests<N>(call, p, a), a);
}

/// The elements where the mask is true, in row-major order; extents intersect. On a vector, returns
/// a vector; at higher ranks, the pair (vector, number of elements in each row).
template <class T, std::size_t N>
auto compact(const Acc<Array<bool, N>>& mask, const Acc<Array<T, N>>& a,
             detail::Where where = detail::Where::current()) {
  const detail::Call call{"compact", where};
  if constexpr (N == 1) {
    return detail::compacted(call, mask, a);
  } else {
    const auto cut =
        detail::acc_of<bool, N>(detail::cut_mask(detail::term_of(mask), detail::term_of(a), call));
    const auto elements =
        detail::acc_of<T, N>(detail::cut_to_mask(detail::term_of(mask), detail::term_of(a), call));
    return detail::compacted(call, cut, elements);
  }
}

/// The pair (elements of a vector with p(x), the other elements), each in order.
template <class P, class T, std::size_t N>
auto partition(P p, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_vector<N>();
  const detail::Call call{"partition", where};
  const detail::Term mask = detail::term_of(detail::tests<N>(call, p, a));
  const auto [kept, others] = detail::parted_elements(mask, detail::term_of(a), call);
  return std::pair{detail::acc_of<T, 1>(kept), detail::acc_of<T, 1>(others)};
}

/// The first element of each run of equal neighbours of a vector. Equality is ==: each NaN is a run
/// of its own.
template <class T, std::size_t N>
Acc<Vector<T>> unique(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_vector<N>();
  const detail::Call call{"unique", where};
  return detail::acc_of<T, 1>(
      detail::kept_elements(detail::run_heads(call, a), detail::term_of(a), call));
}

/// The pair (first element, number of elements) for each run of equal neighbours of a vector.
template <class T, std::size_t N>
auto run_lengths(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_vector<N>();
  const detail::Call call{"run_lengths", where};
  const auto [values, counts] =
      detail::runs_of(detail::run_heads(call, a), detail::term_of(a), call);
  return std::pair{detail::acc_of<T, 1>(values), detail::acc_of<std::int64_t, 1>(counts)};
}

}  // namespace hasten
