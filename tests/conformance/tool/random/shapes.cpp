// Steps that change the order or the shape of an array.
#include "tests/conformance/tool/random/operations.hpp"

#include <algorithm>

namespace hasten::conformance::random {
namespace {

using detail::Call;

unsigned rank_of(const Sized& a) { return detail::rank_of(a.term); }
unsigned axis_of(const Step& step, const Sized& a) { return step.number % rank_of(a); }

/// A number known when the program is built, a parameter, or half an extent.
Term amount(const Context& context, const Step& step, const Sized& b) {
  if (step.number % 3 == 0) return number(step.number / 3 % 12 - std::int64_t{1});
  if (step.number % 3 == 1 || rank_of(b) == 0) return context.amount;
  return detail::prim_of(ScalarOp::quot, ScalarType::i64,
                         {detail::extent_of(b.term, 0), number(2)});
}

Made reverse(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  return {{detail::reverse_axis(a.term, axis_of(step, a), {"reverse", context.where}), a.size}};
}

Made transpose(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const Call call{"transpose", context.where};
  return {{detail::swap_axes(a.term, axis_of(step, a), rank_of(a) - 1, call), a.size}};
}

Made move_axis(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const Call call{"move_axis", context.where};
  const auto move = step.number % 2 == 0 ? detail::move_innermost : detail::move_from_innermost;
  return {{move(a.term, axis_of(step, a), call), a.size}};
}

Made rotate(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  if (rank_of(a) == 0) return {};
  return {{detail::rotate_axis(a.term, axis_of(step, a), amount(context, step, b),
                               {"rotate", context.where}),
           a.size}};
}

Made take(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  if (rank_of(a) == 0) return {};
  const auto part = step.number % 4 < 2 ? detail::take_axis : detail::drop_axis;
  return {
      {part(a.term, axis_of(step, a), amount(context, step, b), {"take", context.where}), a.size}};
}

Made ends(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const auto part = step.number % 4 < 2 ? detail::init_axis : detail::tail_axis;
  return {{part(a.term, axis_of(step, a), {"init", context.where}), a.size}};
}

Made slit(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  if (rank_of(a) == 0) return {};
  return {{detail::slit_axis(a.term, axis_of(step, a), number(step.number % 5),
                             amount(context, step, b), {"slit", context.where}),
           a.size}};
}

Made flatten(const Context& context, const Step&, const Sized& a, const Sized&) {
  return {{detail::flatten_array(a.term, {"flatten", context.where}), a.size}};
}

/// Reshapes to a column, or from flat back to its own shape.
Made reshape(const Context& context, const Step& step, const Sized& a, const Sized&) {
  const Terms extents = detail::extents_of(a.term);
  if (step.number % 2 == 0)
    return {
        {detail::reshape({detail::product_of(extents), number(1)}, a.term, context.where), a.size}};
  return {{detail::reshape(extents, detail::flatten_array(a.term, {"flatten", context.where}),
                           context.where),
           a.size}};
}

Made replicate(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  if (rank_of(a) > 2) return {};
  Terms axes(rank_of(a) + 1);
  axes[step.number % axes.size()] =
      step.number % 2 == 0 || rank_of(b) == 0
          ? number(step.number % 4)
          : detail::prim_of(ScalarOp::min, ScalarType::i64,
                            {detail::extent_of(b.term, 0), number(largest_extent)});
  return {{detail::replicate(std::move(axes), a.term, context.where), a.size * largest_extent}};
}

/// The middle of an axis, after the array was made long enough.
Made slice(const Context& context, const Step& step, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  const unsigned axis = axis_of(step, a);
  const Term extent = detail::extent_of(a.term, axis);
  Terms extents = detail::extents_of(a.term);
  extents[axis] = detail::prim_of(ScalarOp::add, ScalarType::i64, {extent, number(1)});
  const Term longer = generate_by(context, extents, [&](const Terms& at) {
    const Term inside = detail::index_in_range(detail::extents_of(a.term), at);
    return detail::conditional(inside, detail::index_array(a.term, at),
                               zero_like(detail::type_of(a.term)));
  });
  Terms axes(extents.size());
  axes[axis] = detail::prim_of(ScalarOp::quot, ScalarType::i64, {extent, number(2)});
  return {{detail::slice(std::move(axes), longer, context.where), a.size}};
}

/// Reads every second element of the outermost axis.
Made backpermute(const Context& context, const Step&, const Sized& a, const Sized&) {
  if (rank_of(a) == 0) return {};
  Terms extents = detail::extents_of(a.term);
  extents[0] = detail::prim_of(ScalarOp::quot, ScalarType::i64, {extents[0], number(2)});
  const std::vector<Type> index(extents.size(), detail::leaf_type(ScalarType::i64));
  Function fn = function(
      index,
      [](Terms at) {
        at[0] = detail::prim_of(ScalarOp::mul, ScalarType::i64, {at[0], number(2)});
        return at.size() == 1 ? at[0] : detail::tuple_of_i64(at);
      },
      context.where);
  return {
      {detail::backpermute(std::move(extents), std::move(fn), a.term, "backpermute", context.where),
       a.size}};
}

/// Two arrays of one type and rank, or an array with itself and a changed copy.
Made concat(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  if (rank_of(a) == 0) return {};
  const unsigned axis = axis_of(step, a);
  if (rank_of(a) == rank_of(b) && detail::type_of(a.term) == detail::type_of(b.term))
    return {{detail::concat(axis, {a.term, b.term}, "concat", context.where), a.size + b.size}};
  const Term other =
      map_by(context, a.term, [&](const Terms& v) { return changed(step.number, v[0]); });
  return {{detail::concat(axis, {a.term, other, a.term}, "concat", context.where), 3 * a.size}};
}

constexpr Operation table[] = {
    {"reverse", reverse},     {"transpose", transpose}, {"move_axis", move_axis},
    {"rotate", rotate},       {"take", take},           {"init", ends},
    {"slit", slit},           {"flatten", flatten},     {"reshape", reshape},
    {"replicate", replicate}, {"slice", slice},         {"backpermute", backpermute},
    {"concat", concat},
};

}  // namespace

std::span<const Operation> shape_operations() { return table; }

}  // namespace hasten::conformance::random
