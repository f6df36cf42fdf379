// Groups of elements by key, wherever they stand; a key is of any type that can be sorted. Equality
// is ==: each NaN is a key of its own. Work: a stable sort by the keys (processors count instead if
// there are few distinct keys), and one pass over the elements.
#pragma once

#include <hasten/operations/segments.hpp>
#include <hasten/operations/sort.hpp>

#include <tuple>

namespace hasten::detail {

/// The keys in ascending order, the beginnings of the runs of equal keys, and the values, which
/// move with their keys.
template <class K>
class GroupedKeys {
 public:
  GroupedKeys(const Call& call, const Acc<Vector<K>>& unsorted, const std::vector<Term>& values)
      : runs_(sorted_runs(term_of(unsorted), values, call)),
        unsorted_(unsorted) {}

  /// The values in the order of their keys, if there is one vector of values.
  template <class T>
  [[nodiscard]] Acc<Vector<T>> values() const {
    return acc_of<T, 1>(runs_.carried.at(0));
  }
  /// The beginning of each run of equal keys, then the number of keys.
  [[nodiscard]] Term offsets(const Call& call) const { return run_offsets(runs_.heads, call); }
  [[nodiscard]] Acc<Vector<K>> distinct(const Term& offsets, const Call& call) const {
    return acc_of<K, 1>(first_of_runs(runs_, term_of(unsorted_), offsets, call));
  }

 private:
  SortedRuns runs_;
  Acc<Vector<K>> unsorted_;
};

/// The keys for which there is a value.
template <class K, class T>
Acc<Vector<K>> keys_of(const Call& call, const Acc<Vector<K>>& keys, const Acc<Vector<T>>& values) {
  return elementwise(
      call.operation, call.where, [](const Exp<K>& k, const Exp<T>&) { return k; }, keys, values);
}

template <std::size_t N, std::size_t M>
constexpr auto check_keys() {
  check_vector<N>();
  check_vector<M>();
}

}  // namespace hasten::detail

namespace hasten {

/// Groups values by key. Returns the tuple (distinct keys, ascending; offsets; values in the order
/// of their keys). The values of the k-th key are at positions offsets[k] to offsets[k + 1] - 1, in
/// their original order: fold_seg_offsets(f, z, values, offsets) folds each group. The extents of
/// keys and values intersect.
template <class K, std::size_t N, class T, std::size_t M>
auto group_by(const Acc<Array<K, N>>& keys, const Acc<Array<T, M>>& values,
              detail::Where where = detail::Where::current()) {
  detail::check_keys<N, M>();
  const detail::Call call{"group_by", where};
  const detail::GroupedKeys<K> sorted(call, detail::keys_of(call, keys, values),
                                      {detail::term_of(values)});
  const detail::Term offsets = sorted.offsets(call);
  return std::tuple{sorted.distinct(offsets, call), detail::acc_of<std::int64_t, 1>(offsets),
                    sorted.template values<T>()};
}

/// The pair (distinct keys, ascending; the sum of the values of each, added in their original
/// order). The extents of keys and values intersect.
template <class K, std::size_t N, class T, std::size_t M>
auto sum_by_key(const Acc<Array<K, N>>& keys, const Acc<Array<T, M>>& values,
                detail::Where where = detail::Where::current()) {
  detail::check_keys<N, M>();
  const detail::Call call{"sum_by_key", where};
  const detail::GroupedKeys<K> sorted(call, detail::keys_of(call, keys, values),
                                      {detail::term_of(values)});
  const detail::Term offsets = sorted.offsets(call);
  return std::pair{sorted.distinct(offsets, call),
                   detail::fold_at_offsets(
                       call, [](const Exp<T>& x, const Exp<T>& y) { return x + y; }, detail::Term{},
                       sorted.template values<T>(), offsets)};
}

/// The pair (distinct keys, ascending; number of occurrences of each).
template <class K, std::size_t N>
auto count_by_key(const Acc<Array<K, N>>& keys, detail::Where where = detail::Where::current()) {
  detail::check_vector<N>();
  const detail::Call call{"count_by_key", where};
  const detail::GroupedKeys<K> sorted(call, keys, {});
  const detail::Term offsets = sorted.offsets(call);
  return std::pair{sorted.distinct(offsets, call),
                   detail::acc_of<std::int64_t, 1>(detail::differences(offsets, call))};
}

}  // namespace hasten
