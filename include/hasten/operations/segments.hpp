// Segments of the innermost axis: folds, scans and other operations on parts described by lengths
// or offsets.
//
// One descriptor, a vector of integers, serves all rows. Lengths must not be negative and must add
// up to the extent of the axis. Offsets, one more than there are segments, must not decrease and
// must lie between 0 and that extent. Anything else is a ShapeError, under every setting.
#pragma once

#include <hasten/detail/terms/segment.hpp>
#include <hasten/operations/choose.hpp>
#include <hasten/scalar/control.hpp>

namespace hasten::detail {

template <class I>
constexpr auto check_descriptor() {
  static_assert(is_integral_leaf<I>,
                "hasten: segments are described by a vector of integers: lengths, or offsets");
}
template <class T, std::size_t N>
Term axis_extent(const Acc<Array<T, N>>& a) {
  check_axis<N>();
  return extent_of(term_of(a), static_cast<unsigned>(N - 1));
}

/// Folds the elements at positions offsets[k] to offsets[k + 1] - 1 for every segment k. The
/// offsets are i64 and have been checked; without a seed, no segment is empty.
template <class F, class T, std::size_t N>
Acc<Array<T, N>> fold_at_offsets(const Call& call, F f, const Term& seed, const Acc<Array<T, N>>& a,
                                 const Term& offsets) {
  return acc_of<T, N>(fold_segments(element_operator<T>(call, std::move(f)), seed, term_of(a),
                                    offsets, call.operation, call.where));
}

template <class F, class T, std::size_t N, class I>
Acc<Array<T, N>> fold_lengths(const Call& call, F f, const Term& seed, const Acc<Array<T, N>>& a,
                              const Acc<Vector<I>>& lengths) {
  check_descriptor<I>();
  const EmptySegments empty = seed ? EmptySegments::legal : EmptySegments::errors;
  const Term checked = checked_lengths(term_of(lengths), axis_extent(a), empty, call);
  return fold_at_offsets(call, std::move(f), seed, a, offsets_of(checked, call));
}

/// The operator of a segmented scan, on pairs (whether a segment begins, value).
template <class T, class F>
Function segmented_operator(const Call& call, F f, Side side) {
  using Flagged = std::pair<bool, T>;
  const auto joined = [&](const Exp<Flagged>& x, const Exp<Flagged>& y) {
    const Exp<T> a = get<1>(x), b = get<1>(y);
    const Exp<T> both = side == Side::left ? combined<T>(f, a, b) : combined<T>(f, b, a);
    return Exp<Flagged>(get<0>(x) | get<0>(y), hasten::select(get<0>(y), b, both, call.where));
  };
  return trace(List<Flagged, Flagged>{}, call.operation, call.where, joined).fn;
}

template <class F, class T, std::size_t N, class I>
Acc<Array<T, N>> scan_seg(const Call& call, ScanForm form, F f, const Term& seed,
                          const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths) {
  check_axis<N>();
  check_descriptor<I>();
  return acc_of<T, N>(scan_segments(segmented_operator<T>(call, std::move(f), form.from), seed,
                                    term_of(a), term_of(lengths), form, call));
}
template <class F, class T, std::size_t N, class I>
auto split_seg(const Call& call, Side from, F f, const Term& seed, const Acc<Array<T, N>>& a,
               const Acc<Vector<I>>& lengths) {
  check_axis<N>();
  check_descriptor<I>();
  const SplitScan split = split_segments(segmented_operator<T>(call, std::move(f), from), seed,
                                         term_of(a), term_of(lengths), from, call);
  return std::pair{acc_of<T, N>(split.before), acc_of<T, N>(split.total)};
}

/// Offsets of segments whose lengths have no limit but their type. Narrower lengths cannot wrap.
template <class I>
Term free_offsets(const Term& lengths, const Call& call) {
  const Term offsets = offsets_of(lengths, call);
  return sizeof(I) < sizeof(std::int64_t) ? offsets : not_wrapped(offsets, call);
}

template <class T>
Term counts_of(const Call& call, Function count, const Acc<Vector<T>>& a, Type type) {
  const Term counts = map(std::move(count), type, term_of(a), call.operation, call.where);
  return not_negative_each(cast_each(counts, ScalarType::i64, call), call);
}

}  // namespace hasten::detail

namespace hasten {

/// Folds each segment with an associative f, in order, from the seed; an empty segment yields the
/// seed. The innermost extent becomes the number of segments. Work: that of a fold of all elements.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> fold_seg(F f, const Z& z, const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths,
                          detail::Where where = detail::Where::current()) {
  return detail::fold_lengths({"fold_seg", where}, std::move(f), detail::seed_term<T>(z, where), a,
                              lengths);
}
/// Like fold_seg without a seed: an empty segment is a ShapeError.
template <class F, class T, std::size_t N, class I>
Acc<Array<T, N>> fold1_seg(F f, const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths,
                           detail::Where where = detail::Where::current()) {
  return detail::fold_lengths({"fold1_seg", where}, std::move(f), detail::Term{}, a, lengths);
}
/// Like fold_seg, for the segments at positions offsets[k] to offsets[k + 1] - 1. There is one more
/// offset than there are segments. Elements before the first offset and from the last one on belong
/// to no segment.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> fold_seg_offsets(F f, const Z& z, const Acc<Array<T, N>>& a,
                                  const Acc<Vector<I>>& offsets,
                                  detail::Where where = detail::Where::current()) {
  detail::check_descriptor<I>();
  const detail::Call call{"fold_seg_offsets", where};
  return detail::fold_at_offsets(
      call, std::move(f), detail::seed_term<T>(z, where), a,
      detail::checked_offsets(detail::term_of(offsets), detail::axis_extent(a), call));
}

/// Concatenates scanl of each segment: one more element per segment; an empty one yields the seed.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> scanl_seg(F f, const Z& z, const Acc<Array<T, N>>& a,
                           const Acc<Vector<I>>& lengths,
                           detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"scanl_seg", where}, {detail::Side::left, detail::Prefixes::all},
                          std::move(f), detail::seed_term<T>(z, where), a, lengths);
}

/// Concatenates scanl1 of each segment; the shape is that of the array.
template <class F, class T, std::size_t N, class I>
Acc<Array<T, N>> scanl1_seg(F f, const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths,
                            detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"scanl1_seg", where}, {detail::Side::left, detail::Prefixes::all},
                          std::move(f), detail::Term{}, a, lengths);
}

/// The pair (prescanl_seg, the total of each segment including the seed). The innermost extent of
/// the first is that of the array, of the second the number of segments.
template <class F, class Z, class T, std::size_t N, class I>
auto scanl_split_seg(F f, const Z& z, const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths,
                     detail::Where where = detail::Where::current()) {
  return detail::split_seg({"scanl_split_seg", where}, detail::Side::left, std::move(f),
                           detail::seed_term<T>(z, where), a, lengths);
}

/// Concatenates prescanl of each segment; the shape is that of the array.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> prescanl_seg(F f, const Z& z, const Acc<Array<T, N>>& a,
                              const Acc<Vector<I>>& lengths,
                              detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"prescanl_seg", where}, {detail::Side::left, detail::Prefixes::before},
                          std::move(f), detail::seed_term<T>(z, where), a, lengths);
}

/// Concatenates postscanl of each segment; the shape is that of the array.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> postscanl_seg(F f, const Z& z, const Acc<Array<T, N>>& a,
                               const Acc<Vector<I>>& lengths,
                               detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"postscanl_seg", where}, {detail::Side::left, detail::Prefixes::with},
                          std::move(f), detail::seed_term<T>(z, where), a, lengths);
}

/// Concatenates scanr of each segment: one more element per segment; an empty one yields the seed.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> scanr_seg(F f, const Z& z, const Acc<Array<T, N>>& a,
                           const Acc<Vector<I>>& lengths,
                           detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"scanr_seg", where}, {detail::Side::right, detail::Prefixes::all},
                          std::move(f), detail::seed_term<T>(z, where), a, lengths);
}

/// Concatenates scanr1 of each segment; the shape is that of the array.
template <class F, class T, std::size_t N, class I>
Acc<Array<T, N>> scanr1_seg(F f, const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths,
                            detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"scanr1_seg", where}, {detail::Side::right, detail::Prefixes::all},
                          std::move(f), detail::Term{}, a, lengths);
}

/// The pair (prescanr_seg, the total of each segment including the seed). The innermost extent of
/// the first is that of the array, of the second the number of segments.
template <class F, class Z, class T, std::size_t N, class I>
auto scanr_split_seg(F f, const Z& z, const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths,
                     detail::Where where = detail::Where::current()) {
  return detail::split_seg({"scanr_split_seg", where}, detail::Side::right, std::move(f),
                           detail::seed_term<T>(z, where), a, lengths);
}

/// Concatenates prescanr of each segment; the shape is that of the array.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> prescanr_seg(F f, const Z& z, const Acc<Array<T, N>>& a,
                              const Acc<Vector<I>>& lengths,
                              detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"prescanr_seg", where}, {detail::Side::right, detail::Prefixes::before},
                          std::move(f), detail::seed_term<T>(z, where), a, lengths);
}

/// Concatenates postscanr of each segment; the shape is that of the array; the seed is on the
/// right.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> postscanr_seg(F f, const Z& z, const Acc<Array<T, N>>& a,
                               const Acc<Vector<I>>& lengths,
                               detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"postscanr_seg", where}, {detail::Side::right, detail::Prefixes::with},
                          std::move(f), detail::seed_term<T>(z, where), a, lengths);
}

/// The segment number of each position, for segments of these lengths: 0, 0, 1, 3, ...
template <class I>
Acc<Vector<std::int64_t>> segment_ids(const Acc<Vector<I>>& lengths,
                                      detail::Where where = detail::Where::current()) {
  detail::check_descriptor<I>();
  const detail::Call call{"segment_ids", where};
  const detail::Term checked = detail::checked_lengths(detail::term_of(lengths), call);
  return detail::acc_of<std::int64_t, 1>(
      detail::segment_of_each(detail::free_offsets<I>(checked, call), call));
}

/// Folds the values of each run of equal neighbouring keys, in order: the pair (keys of the runs,
/// results). Equality is ==; the extents of keys and values intersect.
template <class F, class K, class T>
auto fold_by_key(F f, const Acc<Vector<K>>& keys, const Acc<Vector<T>>& values,
                 detail::Where where = detail::Where::current()) {
  const detail::Call call{"fold_by_key", where};
  const auto cut = detail::elementwise(
      "fold_by_key", where, [](const Exp<K>& k, const Exp<T>&) { return k; }, keys, values);
  const detail::Term offsets = detail::run_offsets(detail::run_heads(call, cut), call);
  return std::pair{detail::acc_of<K, 1>(detail::at_run_starts(detail::term_of(cut), offsets, call)),
                   detail::fold_at_offsets(call, std::move(f), detail::Term{}, values, offsets)};
}

/// Replaces each x of a vector by element_of(x, 0), ..., element_of(x, count_of(x) - 1); a negative
/// count is 0. Work: one element_of per element of the result, and a scan.
template <class C, class F, class T, std::size_t N>
auto expand(C count_of, F element_of, const Acc<Array<T, N>>& a,
            detail::Where where = detail::Where::current()) {
  detail::check_vector<N>();
  const detail::Call call{"expand", where};
  auto counted = detail::trace_element<T>(call.operation, where, count_of);
  using I = typename decltype(counted)::Result;
  static_assert(detail::is_integral_leaf<I>, "hasten::expand: the count must be an integer");
  const detail::Term counts =
      detail::counts_of(call, std::move(counted.fn), a, detail::element_type<I>());
  const auto offsets = detail::acc_of<std::int64_t, 1>(detail::free_offsets<I>(counts, call));
  const auto sources =
      detail::acc_of<std::int64_t, 1>(detail::segment_of_each(detail::term_of(offsets), call));
  const auto element = [&](const Exp<std::int64_t>& at, const Exp<std::int64_t>& source) {
    return detail::call_with_all(element_of, a[source], Exp<std::int64_t>(at - offsets[source]));
  };
  return detail::elementwise("expand", where, element,
                             detail::indices_of<1>(detail::term_of(sources), where), sources);
}

}  // namespace hasten
