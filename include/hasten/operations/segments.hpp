// Segments of the innermost axis: folds, scans and what else is described by lengths or offsets.
//
// One descriptor, a vector of integers, serves all rows. Lengths must not be negative and must add
// up to the extent of the axis; offsets, one more than there are segments, must not decrease and
// must lie within 0 and that extent; else a ShapeError, under every setting.
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

/// Folds the elements from offsets[k] on, before offsets[k + 1], for every segment k. The offsets
/// are i64 and have been checked; without a seed no segment is empty.
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

/// Offsets of segments that nothing but their lengths limits. Fewer bits cannot wrap.
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

/// Folds each segment with an associative f, in order, from the seed; of an empty segment the seed.
/// The innermost extent becomes the number of segments. Work: that of a fold of all elements.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> fold_seg(F f, const Z& z, const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths,
                          detail::Where where = detail::Where::current()) {
  return detail::fold_lengths({"fold_seg", where}, std::move(f), detail::seed_term<T>(z, where), a,
                              lengths);
}
/// The same without a seed: an empty segment is a ShapeError.
template <class F, class T, std::size_t N, class I>
Acc<Array<T, N>> fold1_seg(F f, const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths,
                           detail::Where where = detail::Where::current()) {
  return detail::fold_lengths({"fold1_seg", where}, std::move(f), detail::Term{}, a, lengths);
}
/// The same as fold_seg of segments from offsets[k] on, before offsets[k + 1]: one more offset than
/// segments; elements before the first and from the last on belong to none.
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

/// scanl of each segment, joined: one element more per segment; of an empty one the seed.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> scanl_seg(F f, const Z& z, const Acc<Array<T, N>>& a,
                           const Acc<Vector<I>>& lengths,
                           detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"scanl_seg", where}, {detail::Side::left, detail::Prefixes::all},
                          std::move(f), detail::seed_term<T>(z, where), a, lengths);
}

/// scanl1 of each segment, joined: the shape of the array.
template <class F, class T, std::size_t N, class I>
Acc<Array<T, N>> scanl1_seg(F f, const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths,
                            detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"scanl1_seg", where}, {detail::Side::left, detail::Prefixes::all},
                          std::move(f), detail::Term{}, a, lengths);
}

/// The pair (prescanl_seg, the total of each segment, seed included): an innermost extent like the
/// array's, and one of the number of segments.
template <class F, class Z, class T, std::size_t N, class I>
auto scanl_split_seg(F f, const Z& z, const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths,
                     detail::Where where = detail::Where::current()) {
  return detail::split_seg({"scanl_split_seg", where}, detail::Side::left, std::move(f),
                           detail::seed_term<T>(z, where), a, lengths);
}

/// prescanl of each segment, joined: the shape of the array.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> prescanl_seg(F f, const Z& z, const Acc<Array<T, N>>& a,
                              const Acc<Vector<I>>& lengths,
                              detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"prescanl_seg", where}, {detail::Side::left, detail::Prefixes::before},
                          std::move(f), detail::seed_term<T>(z, where), a, lengths);
}

/// postscanl of each segment, joined: the shape of the array.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> postscanl_seg(F f, const Z& z, const Acc<Array<T, N>>& a,
                               const Acc<Vector<I>>& lengths,
                               detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"postscanl_seg", where}, {detail::Side::left, detail::Prefixes::with},
                          std::move(f), detail::seed_term<T>(z, where), a, lengths);
}

/// scanr of each segment, joined: one element more per segment; of an empty one the seed.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> scanr_seg(F f, const Z& z, const Acc<Array<T, N>>& a,
                           const Acc<Vector<I>>& lengths,
                           detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"scanr_seg", where}, {detail::Side::right, detail::Prefixes::all},
                          std::move(f), detail::seed_term<T>(z, where), a, lengths);
}

/// scanr1 of each segment, joined: the shape of the array.
template <class F, class T, std::size_t N, class I>
Acc<Array<T, N>> scanr1_seg(F f, const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths,
                            detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"scanr1_seg", where}, {detail::Side::right, detail::Prefixes::all},
                          std::move(f), detail::Term{}, a, lengths);
}

/// The pair (prescanr_seg, the total of each segment, seed included): an innermost extent like the
/// array's, and one of the number of segments.
template <class F, class Z, class T, std::size_t N, class I>
auto scanr_split_seg(F f, const Z& z, const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths,
                     detail::Where where = detail::Where::current()) {
  return detail::split_seg({"scanr_split_seg", where}, detail::Side::right, std::move(f),
                           detail::seed_term<T>(z, where), a, lengths);
}

/// prescanr of each segment, joined: the shape of the array.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> prescanr_seg(F f, const Z& z, const Acc<Array<T, N>>& a,
                              const Acc<Vector<I>>& lengths,
                              detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"prescanr_seg", where}, {detail::Side::right, detail::Prefixes::before},
                          std::move(f), detail::seed_term<T>(z, where), a, lengths);
}

/// postscanr of each segment, joined: the shape of the array; the seed is on the right.
template <class F, class Z, class T, std::size_t N, class I>
Acc<Array<T, N>> postscanr_seg(F f, const Z& z, const Acc<Array<T, N>>& a,
                               const Acc<Vector<I>>& lengths,
                               detail::Where where = detail::Where::current()) {
  return detail::scan_seg({"postscanr_seg", where}, {detail::Side::right, detail::Prefixes::with},
                          std::move(f), detail::seed_term<T>(z, where), a, lengths);
}

/// For each place of segments of these lengths the number of its segment: 0, 0, 1, 3, ...
template <class I>
Acc<Vector<std::int64_t>> segment_ids(const Acc<Vector<I>>& lengths,
                                      detail::Where where = detail::Where::current()) {
  detail::check_descriptor<I>();
  const detail::Call call{"segment_ids", where};
  const detail::Term checked = detail::checked_lengths(detail::term_of(lengths), call);
  return detail::acc_of<std::int64_t, 1>(
      detail::segment_of_each(detail::free_offsets<I>(checked, call), call));
}

/// The values of each run of equal neighbouring keys folded, in order: the pair (the runs' keys,
/// results). Equal is ==; extents of keys and values intersect.
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

/// Each x of a vector gives element_of(x, 0), ..., element_of(x, count_of(x) - 1), one after the
/// other; negative counts are 0. Work: one element_of per element of the result, and a scan.
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
