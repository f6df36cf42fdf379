// Segments of an axis: descriptors and their conditions.
#include <hasten/detail/terms/segment.hpp>

#include "surface/derived.hpp"

namespace hasten::detail {
namespace {

Term as_i64(const Term& vector, const Call& call) {
  return cast_each(vector, ScalarType::i64, call);
}

Term total_of(const Term& lengths, const Call& call) {
  return index_array(
      fold(i64_operator(ScalarOp::add, call), i64::literal(0), lengths, call.operation, call.where),
      {});
}

/// The least and the greatest of several numbers and 0.
struct Range {
  Term least, most;
};
Range range_of(const Term& numbers, const Call& call) {
  const Term pairs = mapped(numbers, call, [](const Term& x) { return tuple_of({x, x}); });
  Function widen = operator_on(type_of(pairs), call, [](const Term& x, const Term& y) {
    return tuple_of(
        {i64::min(project(x, 0), project(y, 0)), i64::max(project(x, 1), project(y, 1))});
  });
  const Term range =
      index_array(fold(std::move(widen), tuple_of({i64::literal(0), i64::literal(0)}), pairs,
                       call.operation, call.where),
                  {});
  return {project(range, 0), project(range, 1)};
}

Term count_of(const Term& flags, const Call& call) {
  return total_of(cast_each(flags, ScalarType::i64, call), call);
}

Term not_less(const Term& a, const Term& b) { return i64::compare(ScalarOp::ge, a, b); }

Term no_segment_is_empty(const Term& lengths, const Call& call) {
  const Term zero = i64::literal(0);
  const Term empty =
      count_of(mapped(lengths, call, [&](const Term& x) { return i64::equal(x, zero); }), call);
  return demand(i64::equal(empty, zero),
                "{} of the {} segments are empty, and there is no seed: leave them out, or use "
                "fold_seg",
                {empty, extent_of(lengths, 0)}, lengths, call.operation, call.where);
}

/// The number of offsets that are less than the one before.
Term decreases(const Term& offsets, const Call& call) {
  const Term pairs =
      zipped(init_axis(offsets, 0, call), tail_axis(offsets, 0, call), call,
             [](const Term& x, const Term& y) { return i64::compare(ScalarOp::gt, x, y); });
  return count_of(pairs, call);
}

}  // namespace

Term checked_lengths(const Term& lengths, const Call& call) {
  const Term checked = as_i64(lengths, call);
  const Term least = range_of(checked, call).least;
  return demand(not_less(least, i64::literal(0)),
                "the lengths of segments must not be negative; the least is {}", {least}, checked,
                call.operation, call.where);
}

Term checked_lengths(const Term& lengths, const Term& extent, EmptySegments empty,
                     const Call& call) {
  const Term plain = as_i64(lengths, call);
  const Term total = total_of(plain, call);
  const auto [least, most] = range_of(plain, call);
  // No length exceeds the extent, so that the sum does not wrap.
  const Term fit = both(not_less(least, i64::literal(0)), not_less(extent, most));
  const Term checked =
      demand(both(fit, i64::equal(total, extent)),
             "the lengths of the segments must add up to the extent {} of the axis and must not be "
             "negative; they add up to {}, the least is {}, the greatest is {}",
             {extent, total, least, most}, plain, call.operation, call.where);
  return empty == EmptySegments::errors ? no_segment_is_empty(checked, call) : checked;
}

Term checked_offsets(const Term& offsets, const Term& extent, const Call& call) {
  const Term plain = as_i64(offsets, call);
  const Term zero = i64::literal(0), none = i64::literal(-1);
  const Term some = i64::compare(ScalarOp::gt, extent_of(plain, 0), zero);
  const Term first = conditional(some, at(plain, zero), none);
  const Term last = conditional(some, last_of(plain), none);
  const Term falls = decreases(plain, call);
  const Term within = both(not_less(first, zero), not_less(extent, last));
  const Term one = demand(some,
                          "segments need at least one offset, and there is none; one offset is "
                          "that of no segments",
                          {}, plain, call.operation, call.where);
  return demand(
      both(within, i64::equal(falls, zero)),
      "the offsets of segments must not decrease and must lie within 0 and the extent {} of the "
      "axis; there are {} offsets, which decrease {} times, the first is {}, the last is {}",
      {extent, extent_of(plain, 0), falls, first, last}, one, call.operation, call.where);
}

Term offsets_of(const Term& lengths, const Call& call) {
  return scan(i64_operator(ScalarOp::add, call), i64::literal(0), lengths, call.operation,
              call.where);
}

Term not_negative_each(const Term& counts, const Call& call) {
  return mapped(counts, call, i64::not_negative);
}

Term not_wrapped(const Term& offsets, const Call& call) {
  // Of sums of non-negative numbers, the first that wraps is negative.
  const Term least = range_of(offsets, call).least;
  return demand_count(not_less(least, i64::literal(0)), too_many_places, offsets, call);
}

Term segment_of_each(const Term& offsets, const Call& call) {
  return segment_numbers(offsets, last_of(offsets), call);
}

}  // namespace hasten::detail
