// Steps that combine the elements of an axis: folds, scans, and segmented forms of both.
#include "tests/conformance/tool/random/operations.hpp"

#include <hasten/detail/terms/scan.hpp>
#include <hasten/detail/terms/segment.hpp>
#include <hasten/operations/segments.hpp>

#include <array>

namespace hasten::conformance::random {
namespace {

using detail::Call, detail::Prefixes, detail::ScanForm, detail::Side;

unsigned rank_of(const Sized& a) { return detail::rank_of(a.term); }
Term i64(ScalarOp op, const Term& x, const Term& y) {
  return detail::prim_of(op, ScalarType::i64, {x, y});
}

Function operator_for(const Context& context, const Step& step, Type type, bool flipped = false) {
  return function(
      {type, type},
      [&](const Terms& v) {
        return flipped ? combine(step.number / 2, v[1], v[0])
                       : combine(step.number / 2, v[0], v[1]);
      },
      context.where);
}

Term seed_for(const Step& step, Type type) { return changed(step.number % 5, zero_like(type)); }

// --- folds --------------------------------------------------------------------------------------

Made fold(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const Type type = detail::type_of(a.term);
  const Term source =
      detail::move_innermost(a.term, step.number % rank_of(a), {"fold_on", context.where});
  return {{detail::fold(operator_for(context, step, type), seed_for(step, type), source, "fold",
                        context.where),
           a.size}};
}

/// Folds all axes at once, by an operator that may run in lanes; the array's elements are read in
/// place, transposed, or as one row that something else needs, too.
Made fold_all(const Context& context, const Step& step, const Sized& a, const Sized&) {
  const Type type = detail::type_of(a.term);
  const Call call{"fold_all", context.where};
  const Term source =
      rank_of(a) > 1 && step.number % 3 == 0 ? detail::move_innermost(a.term, 0, call) : a.term;
  const Term flat = detail::flatten_array(source, {"flatten", context.where});
  Function meets = function(
      {type, type}, [&](const Terms& v) { return meet(step.number, v[0], v[1]); }, context.where);
  const Term folded =
      detail::fold(std::move(meets), seed_for(step, type), flat, "fold_all", context.where);
  if (step.number % 4 == 0) return {{folded, 1}, {flat, a.size}};
  return {{folded, 1}, {source, a.size}};
}

/// Usually folds an axis extended by one element: an empty axis is an error, after which nothing
/// more is compared.
Made fold1(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const Type type = detail::type_of(a.term);
  Term source = a.term;
  if (step.number % 8 != 0) {
    Terms one = detail::extents_of(a.term);
    one.back() = number(1);
    const Term more = detail::fill_array(one, seed_for(step, type), context.where);
    source = detail::concat(rank_of(a) - 1, {a.term, more}, "concat", context.where);
  }
  return {{detail::fold(operator_for(context, step, type), Term{}, source, "fold1", context.where),
           a.size}};
}

/// Folds the elements that a test keeps, or the others.
Made fold_kept(const Context& context, const Step& step, const Sized& a, const Sized&) {
  const Type type = detail::type_of(a.term);
  const Term flat = detail::flatten_array(a.term, {"flatten", context.where});
  const auto mask = map([](const Exp<std::int64_t>& x) { return x % 3 == 0; },
                        detail::acc_of<std::int64_t, 1>(numbers_of(context, step, flat)));
  const auto [kept, others] =
      detail::parted_elements(detail::term_of(mask), flat, {"partition", context.where});
  return {{detail::fold(operator_for(context, step, type), seed_for(step, type),
                        step.number % 2 == 0 ? kept : others, "fold", context.where),
           1}};
}

// --- scans --------------------------------------------------------------------------------------

ScanForm form_of(const Step& step) {
  return {step.number % 2 == 0 ? Side::left : Side::right,
          static_cast<Prefixes>(step.number / 2 % 3)};
}

Made scan(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const Type type = detail::type_of(a.term);
  const ScanForm form = form_of(step);
  const unsigned axis = step.number % rank_of(a);
  return {{detail::scan_axis(operator_for(context, step, type, form.from == Side::right),
                             seed_for(step, type), a.term, axis, form, {"scan", context.where}),
           2 * a.size + largest_extent}};
}

Made scan1(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const ScanForm form{form_of(step).from, Prefixes::all};
  const unsigned axis = step.number % rank_of(a);
  return {{detail::scan_axis(
               operator_for(context, step, detail::type_of(a.term), form.from == Side::right),
               Term{}, a.term, axis, form, {"scan1", context.where}),
           a.size}};
}

Made scan_split(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const Type type = detail::type_of(a.term);
  const Side from = form_of(step).from;
  const detail::SplitScan split =
      detail::scan_split(operator_for(context, step, type, from == Side::right),
                         seed_for(step, type), a.term, from, {"scan_split", context.where});
  return {{split.before, a.size}, {split.total, a.size}};
}

// --- segments -----------------------------------------------------------------------------------

/// Lengths of up to seven segments that add up to an extent, some of them empty; sometimes they do
/// not add up, which is an error.
Term lengths_of(const Context& context, const Step& step, const Term& extent) {
  const Term count = number(1 + step.number % 7);
  const auto cut = [&](const Term& i) {  // extent * i^2 / count^2
    const Term scaled = i64(ScalarOp::mul, extent, i64(ScalarOp::mul, i, i));
    return i64(ScalarOp::quot, scaled, i64(ScalarOp::mul, count, count));
  };
  return generate_by(context, {count}, [&](const Terms& at) {
    const Term length = i64(ScalarOp::sub, cut(i64(ScalarOp::add, at[0], number(1))), cut(at[0]));
    return step.number == 35 ? i64(ScalarOp::add, length, number(1)) : length;
  });
}

/// The operator on pairs of a flag (a segment begins) and an element.
Function flagged_operator(const Context& context, const Step& step, Type type, Side from) {
  const std::array members{detail::leaf_type(ScalarType::boolean), type};
  const Type flagged = detail::tuple_type(members);
  return function(
      {flagged, flagged},
      [&](const Terms& v) {
        const Term begins = detail::project(v[0], 0), again = detail::project(v[1], 0);
        const Term x = detail::project(v[0], 1), y = detail::project(v[1], 1);
        const Term both =
            from == Side::left ? combine(step.number / 2, x, y) : combine(step.number / 2, y, x);
        return detail::make_tuple(
            flagged,
            std::array{detail::prim_of(ScalarOp::or_, ScalarType::boolean, {begins, again}),
                       detail::conditional(again, y, both)});
      },
      context.where);
}

Made scan_seg(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const Type type = detail::type_of(a.term);
  const ScanForm form = form_of(step);
  const Term lengths = lengths_of(context, step, detail::extent_of(a.term, rank_of(a) - 1));
  const bool seeded = step.number % 3 != 0;
  return {{detail::scan_segments(flagged_operator(context, step, type, form.from),
                                 seeded ? seed_for(step, type) : Term{}, a.term, lengths,
                                 seeded ? form : ScanForm{form.from, Prefixes::all},
                                 {"scan_seg", context.where}),
           8 * a.size + largest_length}};
}

Made split_seg(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const Type type = detail::type_of(a.term);
  const Side from = form_of(step).from;
  const Term lengths = lengths_of(context, step, detail::extent_of(a.term, rank_of(a) - 1));
  const detail::SplitScan split =
      detail::split_segments(flagged_operator(context, step, type, from), seed_for(step, type),
                             a.term, lengths, from, {"split_seg", context.where});
  return {{split.before, a.size}, {split.total, 8 * a.size + largest_length}};
}

using Map = std::pair<std::int64_t, std::uint32_t>;
constexpr auto compose = [](const Exp<Map>& f, const Exp<Map>& g) {
  return std::pair{get<0>(f) * get<0>(g), get<1>(f) * cast<std::uint32_t>(get<0>(g)) + get<1>(g)};
};

/// The elements as pairs of numbers, with a rank known to C++.
template <std::size_t N>
Acc<Array<Map, N>> maps_of(const Context& context, const Step& step, const Sized& a) {
  const auto x = detail::acc_of<std::int64_t, N>(numbers_of(context, step, a.term));
  return map([](const Exp<std::int64_t>& v) { return Exp<Map>(v, cast<std::uint32_t>(v) + 1U); },
             x);
}

template <std::size_t N>
Made fold_seg_of(const Context& context, const Step& step, const Sized& a) {
  const auto lengths = detail::acc_of<std::int64_t, 1>(
      lengths_of(context, step, detail::extent_of(a.term, rank_of(a) - 1)));
  const auto elements = maps_of<N>(context, step, a);
  const auto joined = fold_seg(compose, Map{3, 5}, elements, lengths);
  return {{detail::term_of(joined), 8 * a.size + largest_length},
          {detail::term_of(segment_ids(lengths)), a.size}};
}

Made fold_seg(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 1) return fold_seg_of<1>(context, step, a);
  if (rank_of(a) == 2) return fold_seg_of<2>(context, step, a);
  return {};
}

// What segments share, at each of their elements.
Made segment_map(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) != 1) return {};
  const auto numbers = detail::acc_of<std::int64_t, 1>(numbers_of(context, step, a.term));
  const auto lengths =
      detail::acc_of<std::int64_t, 1>(lengths_of(context, step, detail::extent_of(a.term, 0)));
  const auto sums = hasten::fold_seg(std::plus<>{}, Exp<std::int64_t>(1), numbers, lengths);
  const auto ids = segment_ids(lengths);
  const auto joined =
      zip_with([=](const auto& x, const auto& id) { return x * 3 - sums[id] + id; }, numbers, ids);
  const auto gathered = generate(shape(ids), [=](const auto& i) { return sums[ids[i]] ^ i; });
  return {{detail::term_of(joined), a.size}, {detail::term_of(gathered), a.size}};
}

Made fold_by_key(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  if (rank_of(a) != 1 || rank_of(b) != 1) return {};
  const auto keys = map([](const Exp<std::int64_t>& k) { return k / 4; },
                        detail::acc_of<std::int64_t, 1>(numbers_of(context, step, b.term)));
  const auto [runs, values] = hasten::fold_by_key(compose, keys, maps_of<1>(context, step, a));
  return {{detail::term_of(runs), b.size}, {detail::term_of(values), b.size}};
}

Made expand(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) != 1) return {};
  const auto count = [](const auto& x) { return x % 4; };
  const auto element = [](const auto& x, const auto& k) { return x * 10 + k; };
  const auto numbers = detail::acc_of<std::int64_t, 1>(numbers_of(context, step, a.term));
  return {{detail::term_of(hasten::expand(count, element, numbers)), 3 * a.size}};
}

constexpr Operation table[] = {
    {"fold", fold},
    {"fold1", fold1},
    {"scan", scan},
    {"scan1", scan1},
    {"scan_split", scan_split},
    {"scan_seg", scan_seg},
    {"split_seg", split_seg},
    {"fold_seg", fold_seg},
    {"fold_by_key", fold_by_key},
    {"expand", expand},
    {"fold_kept", fold_kept},
    {"fold_all", fold_all},
    {"segment_map", segment_map},
};

}  // namespace

std::span<const Operation> fold_operations() { return table; }

}  // namespace hasten::conformance::random
