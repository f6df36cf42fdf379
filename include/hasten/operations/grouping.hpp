// Groups of elements by key, wherever they stand; a key is of any type that can be sorted. Equality
// is ==: each NaN is a key of its own. Work: a stable sort by the keys (processors count instead if
// there are few distinct keys), and one pass over the elements. Integers of a small range, at most
// a quarter as many as there are keys and no more than 2^20, are not sorted where numbers are
// summed or keys counted: a pass finds the range, and one more adds to a bin for each integer in
// it.
#pragma once

#include <hasten/operations/control_flow.hpp>
#include <hasten/operations/permute.hpp>
#include <hasten/operations/segments.hpp>
#include <hasten/operations/sort.hpp>

#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

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

/// A bin for each integer from the least of some keys to the greatest.
template <class K>
class KeyBins {
 public:
  KeyBins(const Call& call, const Acc<Vector<K>>& keys)
      : call_(call),
        keys_(keys),
        least_(residue(extremum_of(ScalarOp::min, std::numeric_limits<K>::max()))),
        width_(residue(extremum_of(ScalarOp::max, std::numeric_limits<K>::min())) - least_) {}

  /// Whether there are keys, and so few bins that a scatter to them takes less time than a sort.
  [[nodiscard]] Exp<bool> are_few() const {
    const Exp<std::int64_t> n = size(keys_), most = min(n / 4, std::int64_t{1} << 20);
    return (n > 0) & (width_ < cast<std::uint64_t>(most));
  }
  /// The bin of each key.
  [[nodiscard]] Acc<Vector<std::int64_t>> numbers() const {
    return elementwise(
        call_.operation, call_.where,
        [&](const Exp<K>& key) { return cast<std::int64_t>(residue(key) - least_); }, keys_);
  }
  [[nodiscard]] Exp<std::int64_t> count() const { return cast<std::int64_t>(width_) + 1; }
  /// The keys of the bins that are marked, and what else these bins have.
  template <class T>
  [[nodiscard]] auto kept(const Acc<Vector<bool>>& marked, const Acc<Vector<T>>& bins) const {
    const auto key = [&](const Exp<std::int64_t>& bin) {
      return cast<K>(cast<std::uint64_t>(bin) + least_);
    };
    const auto keys =
        elementwise(call_.operation, call_.where, key, indices_of<1>(term_of(marked), call_.where));
    return std::pair{compacted(call_, marked, keys), compacted(call_, marked, bins)};
  }

 private:
  // Differences of integers of any type and sign are exact in residues modulo 2^64.
  [[nodiscard]] static Exp<std::uint64_t> residue(const Exp<K>& key) {
    return cast<std::uint64_t>(key);
  }
  [[nodiscard]] Exp<K> extremum_of(ScalarOp op, K seed) const {
    return the(fold_rows(
        call_, [op](const Exp<K>& x, const Exp<K>& y) { return extremum(op, x, y); },
        literal(seed, LiteralMode::baked), keys_));
  }

  Call call_;
  Acc<Vector<K>> keys_;
  Exp<std::uint64_t> least_, width_;
};

/// Sums of values by bins, and the keys of those that have any value.
template <class K, class T>
auto sums_of_bins(const Call& call, const KeyBins<K>& bins, const Acc<Vector<T>>& values) {
  using Sum = std::pair<T, bool>;
  const auto sum = [](const Exp<Sum>& x, const Exp<Sum>& old) {
    return Exp<Sum>(get<0>(old) + get<0>(x), get<1>(old) | get<1>(x));
  };
  // Whatever is added to -0 keeps its sign.
  const Exp<Sum> none(exp_of<T>(literal(static_cast<T>(-0.0F), LiteralMode::baked)), false);
  const auto numbers = bins.numbers();
  const auto summands = elementwise(
      call.operation, call.where,
      [](const Exp<std::int64_t>&, const Exp<T>& x) { return Exp<Sum>(x, true); }, numbers, values);
  const auto all =
      acc_of<Sum, 1>(sum_bins(term_of(bins.count()), term_of(numbers), term_of(summands),
                              element_operator<Sum>(call, sum), term_of(none), call));
  const auto each = [&](auto part) { return elementwise(call.operation, call.where, part, all); };
  return bins.kept(each([](const Exp<Sum>& x) { return get<1>(x); }),
                   each([](const Exp<Sum>& x) { return get<0>(x); }));
}
/// The number of keys of each bin that has any.
template <class K>
auto counts_of_bins(const Call& call, const KeyBins<K>& bins) {
  const auto counts =
      acc_of<std::int64_t, 1>(count_bins(term_of(bins.count()), term_of(bins.numbers()), call));
  return bins.kept(
      elementwise(
          call.operation, call.where, [](const Exp<std::int64_t>& n) { return n != 0; }, counts),
      counts);
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
  const auto cut = detail::keys_of(call, keys, values);
  const detail::GroupedKeys<K> sorted(call, cut, {detail::term_of(values)});
  const detail::Term offsets = sorted.offsets(call);
  const std::pair sums{sorted.distinct(offsets, call),
                       detail::fold_at_offsets(
                           call, [](const Exp<T>& x, const Exp<T>& y) { return x + y; },
                           detail::Term{}, sorted.template values<T>(), offsets)};
  if constexpr (detail::is_integral_leaf<K> && detail::is_numeric_leaf<T>) {
    const detail::KeyBins<K> bins(call, cut);
    return acond(bins.are_few(), detail::sums_of_bins(call, bins, values), sums, where);
  } else {
    return sums;
  }
}

/// The pair (distinct keys, ascending; number of occurrences of each).
template <class K, std::size_t N>
auto count_by_key(const Acc<Array<K, N>>& keys, detail::Where where = detail::Where::current()) {
  detail::check_vector<N>();
  const detail::Call call{"count_by_key", where};
  const detail::GroupedKeys<K> sorted(call, keys, {});
  const detail::Term offsets = sorted.offsets(call);
  const std::pair counts{sorted.distinct(offsets, call),
                         detail::acc_of<std::int64_t, 1>(detail::differences(offsets, call))};
  if constexpr (detail::is_integral_leaf<K>) {
    const detail::KeyBins<K> bins(call, keys);
    return acond(bins.are_few(), detail::counts_of_bins(call, bins), counts, where);
  } else {
    return counts;
  }
}

}  // namespace hasten
