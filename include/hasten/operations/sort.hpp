// Sorts along the innermost axis. They are stable and use < on every ordered type (lexicographic on
// groups); NaNs come last in both orders, and -0 equals +0. Work: a radix sort of the keys and one
// pass over the elements.
#pragma once

#include <hasten/detail/element_operator.hpp>
#include <hasten/detail/terms/sort.hpp>
#include <hasten/operations/elementwise.hpp>
#include <hasten/operations/shape_ops.hpp>

namespace hasten::detail {

/// Unsigned integers that are ordered as the keys are.
template <class K, std::size_t N>
Term sort_keys(const Call& call, const Acc<Array<K, N>>& keys, Order order) {
  static_assert(
      is_ordered<K>,
      "hasten: complex numbers have no order: sort by a key that has one, such as abs(z)");
  check_axis<N>();
  const Type from = element_type<K>();
  Scope scope(std::span<const Type>(&from, 1));
  const Term key = sort_key(scope.param(0), order);
  const Type type = type_of(key);
  Function fn = scope.close({key}, call.operation, call.where);
  return map(std::move(fn), type, term_of(keys), call.operation, call.where);
}

/// The sorted keys themselves, row by row.
template <class K, std::size_t N>
Acc<Array<K, N>> sorted(const Call& call, const Acc<Array<K, N>>& a, Order order) {
  const Term keys = sort_keys(call, a, order);
  const Term positions = sort_positions(keys, call.operation, call.where);
  return acc_of<K, N>(in_order(term_of(a), keys, positions, order, call));
}

/// The positions of the keys along the innermost axis, in sorted order.
template <class K, std::size_t N>
Acc<Array<std::int64_t, N>> sorted_positions(const Call& call, const Acc<Array<K, N>>& keys,
                                             Order order) {
  return acc_of<std::int64_t, N>(
      sort_positions(sort_keys(call, keys, order), call.operation, call.where));
}

template <class T, std::size_t N>
Acc<Array<T, N>> taken_at(const Acc<Array<T, N>>& a, const Acc<Array<std::int64_t, N>>& positions,
                          const Call& call) {
  return acc_of<T, N>(at_positions(term_of(a), term_of(positions), call));
}

}  // namespace hasten::detail

namespace hasten {

/// Sorts the elements of each row; the shape is that of the array.
template <class T, std::size_t N>
Acc<Array<T, N>> sort(const Acc<Array<T, N>>& a, Order order = Order::ascending,
                      detail::Where where = detail::Where::current()) {
  static_assert(detail::is_ordered<T>,
                "hasten::sort: complex numbers have no order: sort_by abs(z)");
  const detail::Call call{"sort", where};
  return detail::sorted(call, a, order);
}

/// Sorts the elements of each row by key(x); the shape is that of the array.
template <class F, class T, std::size_t N>
Acc<Array<T, N>> sort_by(F key, const Acc<Array<T, N>>& a, Order order = Order::ascending,
                         detail::Where where = detail::Where::current()) {
  const detail::Call call{"sort_by", where};
  const auto key_of = [&](const Exp<T>& x) { return detail::call_with(key, x); };
  const auto keys = detail::elementwise("sort_by", where, key_of, a);
  return detail::taken_at(a, detail::sorted_positions(call, keys, order), call);
}

/// The pair (sorted keys, values in the order of their keys), row by row; extents intersect.
template <class K, class T, std::size_t N>
auto sort_by_key(const Acc<Array<K, N>>& keys, const Acc<Array<T, N>>& values,
                 Order order = Order::ascending, detail::Where where = detail::Where::current()) {
  const detail::Call call{"sort_by_key", where};
  const auto cut = detail::elementwise(
      "sort_by_key", where, [](const Exp<K>& k, const Exp<T>&) { return k; }, keys, values);
  const detail::Term sorted_by = detail::sort_keys(call, cut, order);
  const detail::Term positions = detail::sort_positions(sorted_by, call.operation, call.where);
  return std::pair{
      detail::acc_of<K, N>(
          detail::in_order(detail::term_of(cut), sorted_by, positions, order, call)),
      detail::acc_of<T, N>(detail::at_positions(detail::term_of(values), positions, call))};
}

/// The k greatest elements of each row in descending order, or with Order::ascending the k least in
/// ascending order; of equal elements, the first comes first. Returns the pair (elements, positions
/// along the innermost axis). k is clamped to 0..n.
template <class T, std::size_t N>
auto top_k(const detail::Extent& k, const Acc<Array<T, N>>& a, Order order = Order::descending,
           detail::Where where = detail::Where::current()) {
  const detail::Call call{"top_k", where};
  const detail::Term positions = detail::sort_first_positions(detail::sort_keys(call, a, order),
                                                              k.term(), call.operation, call.where);
  const auto first = detail::acc_of<std::int64_t, N>(
      detail::take_axis(positions, detail::axis_of<-1, N>(), k.term(), call));
  return std::pair{detail::taken_at(a, first, call), first};
}

}  // namespace hasten
