// Steps that compute each element: maps, zips, generators, reads of other arrays.
#include "tests/conformance/tool/random/operations.hpp"

#include <hasten/detail/terms/complex.hpp>

#include <array>

namespace hasten::conformance::random {
namespace {

bool same_rank(const Sized& a, const Sized& b) {
  return detail::rank_of(a.term) == detail::rank_of(b.term);
}

Made map(const Context& context, const Step& step, const Sized& a, const Sized&) {
  return {{map_by(context, a.term, tree_of(context, step)), a.size}};
}

Made zip_with(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  if (!same_rank(a, b)) return {};
  return {{zip_by(context, a.term, b.term, tree_of(context, step)), std::min(a.size, b.size)}};
}

Made zip(const Context& context, const Step&, const Sized& a, const Sized& b) {
  if (!same_rank(a, b)) return {};
  const auto pair = [](const Terms& v) {
    const std::array types{detail::type_of(v[0]), detail::type_of(v[1])};
    return detail::make_tuple(detail::tuple_type(types), v);
  };
  return {{zip_by(context, a.term, b.term, pair), std::min(a.size, b.size)}};
}

Made member(const Context& context, const Step& step, const Sized& a, const Sized&) {
  const Type type = detail::type_of(a.term);
  if (type->is_leaf) return {};
  const auto m = static_cast<unsigned>(step.number % type->members.size());
  return {
      {map_by(context, a.term, [m](const Terms& v) { return detail::project(v[0], m); }), a.size}};
}

Made complex(const Context& context, const Step& step, const Sized& a, const Sized&) {
  const ScalarType part = step.number % 2 == 0 ? ScalarType::f32 : ScalarType::f64;
  const auto made = [part](const Terms& v) {
    const Terms leaves = real_leaves(v[0]);
    if (leaves.empty()) return detail::constant(part, {});
    return detail::complex_of(detail::cast_term(leaves.front(), part),
                              detail::cast_term(leaves.back(), part));
  };
  return {{map_by(context, a.term, made), a.size}};
}

Made generate(const Context& context, const Step& step, const Sized& a, const Sized&) {
  return {{generate_by(context, detail::extents_of(a.term), tree_of(context, step)), a.size}};
}

Made imap(const Context& context, const Step& step, const Sized& a, const Sized&) {
  const Term indices = detail::index_of_each(a.term, context.where);
  return {{zip_by(context, indices, a.term, tree_of(context, step)), a.size}};
}

Made enumerate(const Context& context, const Step& step, const Sized& a, const Sized&) {
  const ScalarType types[] = {ScalarType::i64, ScalarType::u8, ScalarType::f32};
  const ScalarType type = types[step.number % 3];
  const Term start = detail::cast_term(context.amount, type);
  const Term by = step.number % 2 == 0 ? Term{} : detail::cast_term(number(3), type);
  return {{detail::enumerate(detail::extents_of(a.term), start, by, context.where), a.size}};
}

/// The element of b at a row-major position, or zero if b is empty.
Term element_or_zero(const Term& b, const Term& position, bool linear) {
  const Terms extents = detail::extents_of(b);
  const Term size = detail::product_of(extents);
  const Term at = detail::prim_of(ScalarOp::mod, ScalarType::i64, {position, size});
  const Term element = linear || extents.empty()
                           ? detail::index_linear(b, at)
                           : detail::index_array(b, detail::index_at(extents, at));
  const Term empty = detail::prim_of(ScalarOp::eq, ScalarType::boolean, {size, number(0)});
  return detail::conditional(empty, zero_like(detail::type_of(b)), element);
}

/// Each element of a selects an element of b.
Made gather(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  const auto read = [&](const Terms& v) {
    return element_or_zero(b.term, as_number(step.number, v[0]), step.number % 2 == 0);
  };
  return {{map_by(context, a.term, read), a.size}};
}

/// All elements of a use one element of b.
Made with_scalar(const Context& context, const Step& step, const Sized& a, const Sized& b) {
  const Term one = detail::unit(element_or_zero(b.term, context.amount, true), context.where);
  const Term scalar = detail::index_array(one, {});
  const auto tree = tree_of(context, step);
  return {{map_by(context, a.term, [&](const Terms& v) { return tree({v[0], scalar}); }), a.size}};
}

Made fill(const Context& context, const Step&, const Sized& a, const Sized& b) {
  const Term value = element_or_zero(b.term, context.amount, false);
  return {{detail::fill_array(detail::extents_of(a.term), value, context.where), a.size}};
}

constexpr Operation table[] = {
    {"map", map},           {"zip_with", zip_with},       {"zip", zip},   {"member", member},
    {"complex", complex},   {"generate", generate},       {"imap", imap}, {"enumerate", enumerate},
    {"gather", gather},     {"with_scalar", with_scalar}, {"fill", fill}, {"map", map},
    {"zip_with", zip_with},
};

}  // namespace

std::span<const Operation> elementwise_operations() { return table; }

}  // namespace hasten::conformance::random
