// Steps that read at indices from their numbers: most in range, some far away. On a target that
// compiles, such a read returns the element at the nearest index, or 0 if there is none.
#include "tests/conformance/tool/random/operations.hpp"

#include <array>

namespace hasten::conformance::random {
namespace {

Term i64(ScalarOp op, const Term& x, const Term& y) {
  return detail::prim_of(op, ScalarType::i64, {x, y});
}
Term is(ScalarOp op, const Term& x, const Term& y) {
  return detail::prim_of(op, ScalarType::boolean, {x, y});
}
unsigned rank_of(const Sized& a) { return detail::rank_of(a.term); }

/// From slightly below 0 to beyond any extent, and the extreme values of an index.
Term anywhere(std::uint32_t which, const Term& value) {
  const std::int64_t spans[] = {1, 1, 1, -1, 1'000'003, std::int64_t{1} << 61};
  return i64(ScalarOp::mul, as_number(which, value), number(spans[which % std::size(spans)]));
}

/// Each element of a selects an element of b, which may not exist.
Made read_anywhere(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  const auto read = [&](const Terms& v) {
    if (step.number % 5 == 4) return detail::index_linear(b.term, anywhere(step.number, v[0]));
    Terms index;
    for (unsigned axis = 0; axis < rank_of(b); ++axis)
      index.push_back(anywhere(step.number + axis, v[0]));
    return detail::index_array(b.term, index);
  };
  return {{map_by(context, a.term, read), a.size}};
}

/// Reads the neighbours on both sides along every axis, like a stencil without a border.
Made read_neighbours(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const auto by = [&](const Terms& at, ScalarOp op, const Term& amount) {
    Terms index = at;
    for (Term& component : index) component = i64(op, component, amount);
    return detail::index_array(a.term, index);
  };
  const Term far = step.number % 2 == 0 ? number(1 + step.number % 7) : context.amount;
  return {{generate_by(context, detail::extents_of(a.term),
                       [&](const Terms& at) {
                         return meet(step.number, by(at, ScalarOp::add, far),
                                     by(at, ScalarOp::sub, number(1)));
                       }),
           a.size}};
}

/// Guards reads as users do: by a condition that is too strict, too weak, or exact.
Made read_guarded(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  if (rank_of(a) != 1 || rank_of(b) != 1) return {};
  const Term extent = detail::extent_of(b.term, 0);
  const Term zero = zero_like(detail::type_of(b.term));
  const auto read = [&](const Terms& v) {
    const Term at = anywhere(step.number, v[0]);
    const Term moved = i64(ScalarOp::sub, at, number(step.number % 3));
    const Term element = detail::index_array(b.term, std::span(&at, 1));
    const Term above = is(ScalarOp::ge, moved, number(0)), below = is(ScalarOp::lt, moved, extent);
    if (step.number % 4 == 0) return detail::conditional(below, element, zero);
    const Term both = detail::conditional(
        above, below, detail::constant(ScalarType::boolean, {}, detail::LiteralMode::baked));
    return detail::conditional(both, element, zero);
  };
  return {{map_by(context, a.term, read), a.size}};
}

/// A sum over indices that a loop counts.
Made read_in_loop(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  if (rank_of(a) != 1 || rank_of(b) != 1) return {};
  const Type state = tuple_of({ScalarType::i64, ScalarType::i64});
  // Few rounds, but two more than a short array has elements.
  const Term end =
      i64(ScalarOp::add, i64(ScalarOp::min, detail::extent_of(b.term, 0), number(largest_length)),
          number(step.number % 3));
  const auto read = [&](const Terms& v) {
    const Term first = i64(ScalarOp::min, as_number(step.number, v[0]), number(3));
    Function condition = function(
        {state}, [&](const Terms& s) { return is(ScalarOp::lt, detail::project(s[0], 0), end); },
        context.where);
    Function body = function(
        {state},
        [&](const Terms& s) {
          const Term k = detail::project(s[0], 0);
          const Term element =
              as_number(step.number, detail::index_array(b.term, std::span(&k, 1)));
          return detail::make_tuple(
              state, std::array{i64(ScalarOp::add, k, number(1)),
                                i64(ScalarOp::add, detail::project(s[0], 1), element)});
        },
        context.where);
    const Term start =
        detail::make_tuple(state, std::array{i64(ScalarOp::max, first, number(-5)), number(0)});
    return detail::project(detail::while_loop(std::move(condition), std::move(body), start), 1);
  };
  return {{map_by(context, a.term, read), a.size}};
}

/// A row that may not exist.
Made slice_anywhere(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  Terms axes(rank_of(a));
  axes[step.number % axes.size()] = i64(ScalarOp::sub, context.amount, number(step.number % 4));
  return {{detail::slice(std::move(axes), a.term, context.where), a.size}};
}

/// Reads elements beyond both ends.
Made backpermute_anywhere(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  Terms extents = detail::extents_of(a.term);
  extents[0] =
      i64(ScalarOp::min, i64(ScalarOp::add, extents[0], number(2)), number(largest_length));
  const std::vector<Type> index(extents.size(), detail::leaf_type(ScalarType::i64));
  Function fn = function(
      index,
      [&](Terms at) {
        at.back() = i64(ScalarOp::sub, at.back(), number(1 + step.number % 3));
        return at.size() == 1 ? at[0] : detail::tuple_of_i64(at);
      },
      context.where);
  return {
      {detail::backpermute(std::move(extents), std::move(fn), a.term, "backpermute", context.where),
       2 * a.size + largest_extent * largest_extent * largest_extent}};
}

constexpr Operation table[] = {
    {"read_anywhere", read_anywhere},   {"read_neighbours", read_neighbours},
    {"read_guarded", read_guarded},     {"read_in_loop", read_in_loop},
    {"slice_anywhere", slice_anywhere}, {"backpermute_anywhere", backpermute_anywhere},
};

}  // namespace

std::span<const Operation> read_operations() { return table; }

}  // namespace hasten::conformance::random
