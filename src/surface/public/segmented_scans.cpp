// Segmented scans: one scan of all segments, by an operator that restarts where one begins.
//
// With a seed every segment gets one more place, for the seed, and the results are read from there;
// exclusive scans need no more places than there are elements. Scans from the right are scans from
// the left of the reversed array, with the flipped operator.
#include <hasten/detail/terms/segment.hpp>

#include "surface/derived.hpp"

namespace hasten::detail {
namespace {

/// The index with another innermost component.
std::vector<Term> at_innermost(std::vector<Term> index, const Term& innermost) {
  index.back() = innermost;
  return index;
}

/// For places up to `extent`, whether each is the first of its segment.
Term heads_of(const Term& offsets, const Term& extent, const Call& call) {
  const Term nobody = fill_array({extent}, boolean_literal(false), call.where);
  const Term targets = zipped(init_axis(offsets, 0, call), tail_axis(offsets, 0, call), call,
                              [](const Term& begin, const Term& end) {
                                return tuple_of({i64::compare(ScalarOp::lt, begin, end), begin});
                              });
  const Term everybody = generated({extent_of(targets, 0)}, call,
                                   [](const std::vector<Term>&) { return boolean_literal(true); });
  return permute(left_of(leaf_type(ScalarType::boolean), call), nobody, {{targets, everybody}},
                 PermuteMode::unique, call.operation, call.where);
}

/// Offsets of the same segments with one more place at the start of each.
Term with_seeds(const Term& offsets, const Call& call) {
  return generated({extent_of(offsets, 0)}, call, [&](const std::vector<Term>& index) {
    return i64::add(at(offsets, index[0]), index[0]);
  });
}

/// (true, seed) at the start of each segment, then (false, element).
Term seeded_elements(const Term& array, const Term& seed, const Term& heads, const Call& call) {
  const Term seeds = scan(i64_operator(ScalarOp::add, call), Term{},
                          cast_each(heads, ScalarType::i64, call), call.operation, call.where);
  std::vector<Term> extent = extents_of(array);
  extent.back() = extent_of(heads, 0);
  return generated(std::move(extent), call, [&](const std::vector<Term>& index) {
    const Term& place = index.back();
    const Term element =
        index_array(array, at_innermost(index, i64::sub(place, at(seeds, place))), Reads::inside);
    const Term head = at(heads, place);
    return tuple_of({head, conditional(head, seed, element)});
  });
}

/// (whether a segment begins, element).
Term flagged_elements(const Term& array, const Term& heads, const Call& call) {
  return generated(extents_of(array), call, [&](const std::vector<Term>& index) {
    return tuple_of({at(heads, index.back()), index_array(array, index, Reads::inside)});
  });
}

/// One of two elements, selected leaf by leaf: both are computed.
Term chosen(const Term& condition, const Term& a, const Term& b) {
  if (type_of(a)->is_leaf) return choose(condition, a, b);
  const std::vector<Term> of_a = components_of(a), of_b = components_of(b);
  std::vector<Term> members;
  for (std::size_t i = 0; i < of_a.size(); ++i)
    members.push_back(chosen(condition, of_a[i], of_b[i]));
  return tuple_of(members);
}

/// (true, seed) at the start of each segment, elsewhere (false, the element before).
Term elements_before(const Term& array, const Term& seed, const Term& heads, const Call& call) {
  return generated(extents_of(array), call, [&](const std::vector<Term>& index) {
    const Term head = at(heads, index.back());
    // Loaded at every index: a load by only some lanes of a vector is slow.
    const Term before = i64::not_negative(i64::sub(index.back(), i64::literal(1)));
    const Term element = index_array(array, at_innermost(index, before), Reads::inside);
    return tuple_of({head, chosen(head, seed, element)});
  });
}

/// The scan of (whether a segment begins, value) without these flags.
Term scan_flagged(Function fn, const Term& elements, const Call& call) {
  const Term scanned = scan(std::move(fn), Term{}, elements, call.operation, call.where);
  return mapped(scanned, call, [](const Term& x) { return project(x, 1); });
}

/// A seeded scan from the left, with one more place per segment.
struct SeededScan {
  Term offsets, scanned;
};
SeededScan scan_seeded(Function fn, const Term& seed, const Term& array, const Term& lengths,
                       const Call& call) {
  const Term offsets = offsets_of(lengths, call);
  const Term places = i64::add(extent_of(array, rank_of(array) - 1), extent_of(lengths, 0));
  // A sum that wraps is negative.
  const Term begins = demand_count(i64::compare(ScalarOp::ge, places, i64::literal(0)),
                                   too_many_places, with_seeds(offsets, call), call);
  const Term heads = heads_of(begins, places, call);
  const Term elements = seeded_elements(array, seed, heads, call);
  return {offsets, scan_flagged(std::move(fn), elements, call)};
}

/// The result at each element (exclusive: before it).
Term seeded_results(const SeededScan& all, Prefixes kept, const Call& call) {
  const Term& scanned = all.scanned;
  if (kept == Prefixes::all) return scanned;
  const Term segments = segment_of_each(all.offsets, call);
  std::vector<Term> extent = extents_of(scanned);
  extent.back() = extent_of(segments, 0);
  return generated(std::move(extent), call, [&](const std::vector<Term>& index) {
    const Term before = i64::add(index.back(), at(segments, index.back()));
    const Term place = kept == Prefixes::before ? before : i64::add(before, i64::literal(1));
    return index_array(scanned, at_innermost(index, place), Reads::inside);
  });
}

/// The result at the end of each segment.
Term seeded_totals(const SeededScan& all, const Call& call) {
  const auto& [offsets, scanned] = all;
  std::vector<Term> extent = extents_of(scanned);
  extent.back() = i64::sub(extent_of(offsets, 0), i64::literal(1));
  return generated(std::move(extent), call, [&](const std::vector<Term>& index) {
    const Term end = at(offsets, i64::add(index.back(), i64::literal(1)));
    const Term place = i64::add(end, index.back());
    return index_array(scanned, at_innermost(index, place), Reads::inside);
  });
}

Term lengths_of_axis(const Term& array, const Term& lengths, const Call& call) {
  return checked_lengths(lengths, extent_of(array, rank_of(array) - 1), EmptySegments::legal, call);
}

}  // namespace

Term scan_segments(Function fn, const Term& seed, const Term& array, const Term& lengths,
                   ScanForm form, const Call& call) {
  const Term source = seen_from(form.from, array, call);
  const Term ordered = seen_from(form.from, lengths_of_axis(array, lengths, call), call);
  if (seed && form.kept != Prefixes::before) {
    const SeededScan all = scan_seeded(std::move(fn), seed, source, ordered, call);
    return seen_from(form.from, seeded_results(all, form.kept, call), call);
  }
  const Term heads =
      heads_of(offsets_of(ordered, call), extent_of(source, rank_of(source) - 1), call);
  const Term elements =
      seed ? elements_before(source, seed, heads, call) : flagged_elements(source, heads, call);
  const Term scanned = scan_flagged(std::move(fn), elements, call);
  return seen_from(form.from, scanned, call);
}

SplitScan split_segments(Function fn, const Term& seed, const Term& array, const Term& lengths,
                         Side from, const Call& call) {
  const Term source = seen_from(from, array, call);
  const Term ordered = seen_from(from, lengths_of_axis(array, lengths, call), call);
  const SeededScan all = scan_seeded(std::move(fn), seed, source, ordered, call);
  return {seen_from(from, seeded_results(all, Prefixes::before, call), call),
          seen_from(from, seeded_totals(all, call), call)};
}

}  // namespace hasten::detail
