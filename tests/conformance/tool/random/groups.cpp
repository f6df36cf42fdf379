// Steps of several operations in forms that fusion merges into one kernel; chance alone would
// hardly ever combine them.
#include "tests/conformance/tool/random/operations.hpp"

#include <hasten/detail/terms/array.hpp>
#include <hasten/detail/terms/scan.hpp>

namespace hasten::conformance::random {
namespace {

unsigned rank_of(const Sized& a) { return detail::rank_of(a.term); }

Function operator_for(const Context& context, const Step& step, Type type) {
  return function(
      {type, type}, [&](const Terms& v) { return combine(step.number / 2, v[0], v[1]); },
      context.where);
}

Term seed_for(const Step& step, Type type) { return changed(step.number % 5, zero_like(type)); }

Term folded(const Context& context, const Step& step, const Term& source) {
  const Type type = detail::type_of(source);
  return detail::fold(operator_for(context, step, type), seed_for(step, type), source, "fold",
                      context.where);
}

/// A function of a fold's results.
Made map_of_fold(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  return {{map_by(context, folded(context, step, a.term), tree_of(context, step)), a.size}};
}

/// A function of a scan's results.
Made map_of_scan(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const Type type = detail::type_of(a.term);
  const Term scanned = detail::scan_axis(
      operator_for(context, step, type), seed_for(step, type), a.term, rank_of(a) - 1,
      {detail::Side::left, detail::Prefixes::all}, {"scan", context.where});
  return {{map_by(context, scanned, tree_of(context, step)), 2 * a.size + largest_extent}};
}

/// A map and a fold of it.
Made map_and_fold(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const Term mapped = map_by(context, a.term, tree_of(context, step));
  return {{mapped, a.size}, {folded(context, step, mapped), a.size}};
}

/// Two folds of one array.
Made two_folds(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  Step other = step;
  other.number += 2;
  return {{folded(context, step, a.term), a.size}, {folded(context, other, a.term), a.size}};
}

/// Rows combined with folds of them, as in a soft-max.
Made rows_by_folds(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) < 2) return {};
  const Term source = step.number % 3 == 0
                          ? map_by(context, a.term, [](const Terms& v) { return changed(1, v[0]); })
                          : a.term;
  Terms axes(rank_of(a));
  axes.back() = detail::extent_of(a.term, rank_of(a) - 1);
  const Term along =
      detail::replicate(std::move(axes), folded(context, step, source), context.where);
  return {{zip_by(context, source, along, tree_of(context, step)), a.size}};
}

/// Widens what is read, folds it and narrows the result, as for sums of bytes: the combined values
/// have more bits than any value that is loaded or stored.
Made fold_widened(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  constexpr ScalarType narrow[] = {ScalarType::u8, ScalarType::i16, ScalarType::boolean,
                                   ScalarType::u32};
  const ScalarType type = narrow[step.number % std::size(narrow)];
  const Term wide =
      map_by(context, a.term, [&](const Terms& v) { return as_number(step.number / 4, v[0]); });
  const Term result = map_by(context, folded(context, step, wide),
                             [&](const Terms& v) { return detail::cast_term(v[0], type); });
  return {{result, a.size}};
}

// The pairs of rows of two matrices with the largest extents.
constexpr std::int64_t most_pairs =
    largest_extent * largest_extent * largest_extent * largest_extent;

/// Combines all rows of one array with all rows of another one, or with its own, and folds: as in a
/// product of matrices.
Made contraction(const Context& context, const Step& step, const Sized& a, const Sized& other) {
  const Sized& b = rank_of(other) == 2 ? other : a;
  if (rank_of(a) != 2 || a.size * b.size > most_pairs) return {};
  const Term left =
      detail::replicate({Term{}, detail::extent_of(b.term, 0), Term{}}, a.term, context.where);
  const Term right =
      detail::replicate({detail::extent_of(a.term, 0), Term{}, Term{}}, b.term, context.where);
  const Type type = detail::type_of(a.term);
  const bool is_product = step.number % 2 == 0 && type == detail::type_of(b.term);
  const Body body = is_product ? [&](const Terms& v) { return meet(step.number / 4, v[0], v[1]); }
                               : tree_of(context, step);
  const Term pairs = zip_by(context, left, right, body);
  return {{folded(context, step, pairs), std::min(a.size * b.size, largest_size)}};
}

constexpr Operation table[] = {
    {"map_of_fold", map_of_fold},     {"map_of_scan", map_of_scan},
    {"map_and_fold", map_and_fold},   {"two_folds", two_folds},
    {"rows_by_folds", rows_by_folds}, {"contraction", contraction},
    {"fold_widened", fold_widened},
};

}  // namespace

std::span<const Operation> group_operations() { return table; }

}  // namespace hasten::conformance::random
