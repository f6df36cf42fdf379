// Elements, functions and operators of random programs.
#include "tests/conformance/tool/random/terms.hpp"

#include <hasten/detail/terms/complex.hpp>

#include <algorithm>
#include <array>

namespace hasten::conformance::random {

Term number(std::int64_t n) { return detail::i64_term(n, detail::LiteralMode::parameter); }

Type tuple_of(std::initializer_list<ScalarType> leaves) {
  std::vector<Type> members;
  for (const ScalarType leaf : leaves) members.push_back(detail::leaf_type(leaf));
  return detail::tuple_type(members);
}

bool has_complex(Type type) { return std::ranges::any_of(type->leaves, detail::is_complex); }

namespace {

void append_leaves(const Term& value, Terms& out) {
  const Type type = detail::type_of(value);
  if (type->is_leaf) {
    out.push_back(value);
    return;
  }
  for (unsigned m = 0; m < type->members.size(); ++m) append_leaves(detail::project(value, m), out);
}

/// A value of the type, composed of these leaves.
Term from_leaves(Type type, std::span<const Term>& leaves) {
  if (type->is_leaf) {
    const Term leaf = leaves.front();
    leaves = leaves.subspan(1);
    return leaf;
  }
  Terms members;
  for (const Type member : type->members) members.push_back(from_leaves(member, leaves));
  return detail::make_tuple(type, members);
}

Term extreme(ScalarOp op, ScalarType type, const Term& x, const Term& y) {
  return detail::prim_of(op, type, {x, y});
}

/// Composes affine maps if two adjacent leaves have one integral type, else takes the last value.
Term compose(const Term& x, const Term& y) {
  Terms f, g, made;
  append_leaves(x, f);
  append_leaves(y, g);
  for (std::size_t k = 0; k < f.size(); ++k) {
    const ScalarType type = detail::type_of(f[k])->leaf;
    const bool pair =
        k + 1 < f.size() && is_integral(type) && detail::type_of(f[k + 1])->leaf == type;
    if (!pair) {
      made.push_back(g[k]);
      continue;
    }
    made.push_back(detail::prim_of(ScalarOp::mul, type, {f[k], g[k]}));
    const Term moved = detail::prim_of(ScalarOp::mul, type, {f[k + 1], g[k]});
    made.push_back(detail::prim_of(ScalarOp::add, type, {moved, g[k + 1]}));
    ++k;
  }
  std::span<const Term> rest(made);
  return from_leaves(detail::type_of(x), rest);
}

}  // namespace

Terms real_leaves(const Term& value) {
  Terms all, parts;
  append_leaves(value, all);
  for (const Term& leaf : all) {
    if (is_complex(detail::type_of(leaf)->leaf)) {
      parts.push_back(detail::real_part(leaf));
      parts.push_back(detail::imaginary_part(leaf));
    } else {
      parts.push_back(leaf);
    }
  }
  return parts;
}

Term leafwise(const Terms& values, const std::function<Term(const Terms&)>& f) {
  const Type type = detail::type_of(values[0]);
  if (type->is_leaf) return f(values);
  Terms members;
  for (unsigned m = 0; m < type->members.size(); ++m) {
    Terms parts;
    for (const Term& value : values) parts.push_back(detail::project(value, m));
    members.push_back(leafwise(parts, f));
  }
  return detail::make_tuple(type, members);
}

Term zero_like(Type type) {
  if (type->is_leaf) return detail::constant(type->leaf, {});
  Terms members;
  for (const Type member : type->members) members.push_back(zero_like(member));
  return detail::make_tuple(type, members);
}

Term changed(std::uint32_t op, const Term& x) {
  return leafwise({x}, [op](const Terms& v) {
    const ScalarType type = detail::type_of(v[0])->leaf;
    if (is_bool(type)) return detail::prim(ScalarOp::not_, type, v);
    if (is_complex(type)) return detail::complex_conjugate(v[0]);
    const Term two = detail::cast_term(number(2 + op % 3), type);
    return detail::prim(op % 2 == 0 ? ScalarOp::sub : ScalarOp::max, type, std::array{two, v[0]});
  });
}

Term as_number(std::uint32_t which, const Term& value) {
  const Terms leaves = real_leaves(value);
  if (leaves.empty()) return number(0);
  return detail::cast_term(leaves[which % leaves.size()], ScalarType::i64);
}

Term combine(std::uint32_t op, const Term& x, const Term& y) {
  switch (op % 5) {
    case 0: return x;
    case 1: return y;
    case 2: return compose(x, y);
    default: return meet(op, x, y);
  }
}

Term meet(std::uint32_t op, const Term& x, const Term& y) {
  return leafwise({x, y}, [op](const Terms& v) {
    const ScalarType type = detail::type_of(v[0])->leaf;
    if (is_complex(type)) return v[1];
    const bool wraps = is_integral(type);
    const ScalarOp chosen = op % 2 == 0 ? (wraps ? ScalarOp::add : ScalarOp::min)
                                        : (wraps ? ScalarOp::mul : ScalarOp::max);
    return extreme(chosen, type, v[0], v[1]);
  });
}

Function function(const std::vector<Type>& params, const Body& body, const detail::Where& where) {
  Scope scope(params);
  Terms values;
  for (std::size_t i = 0; i < params.size(); ++i) values.push_back(scope.param(i));
  return scope.close({body(values)}, "function", where);
}

Type result_of(const Function& fn) { return detail::type_of(fn.results[0]); }

Body tree_of(const Context& context, const Step& step) {
  return [&context, &step](const Terms& values) {
    Terms leaves;
    for (const Term& value : values)
      for (const Term& leaf : real_leaves(value)) leaves.push_back(leaf);
    leaves.push_back(step.number % 2 == 0 ? context.factor : context.amount);
    return build(step.function, [&](ScalarType type, std::uint32_t n) {
      return detail::cast_term(leaves[n % leaves.size()], type);
    });
  };
}

Term map_by(const Context& context, const Term& source, const Body& body) {
  Function fn = function({detail::type_of(source)}, body, context.where);
  const Type type = result_of(fn);
  return detail::map(std::move(fn), type, source, "map", context.where);
}

Term zip_by(const Context& context, const Term& a, const Term& b, const Body& body) {
  Function fn = function({detail::type_of(a), detail::type_of(b)}, body, context.where);
  const Type type = result_of(fn);
  return detail::zip_with(std::move(fn), type, {a, b}, detail::Meet::intersection, "zip_with",
                          context.where);
}

Term generate_by(const Context& context, Terms extents, const Body& body) {
  const std::vector<Type> index(extents.size(), detail::leaf_type(ScalarType::i64));
  Function fn = function(index, body, context.where);
  const Type type = result_of(fn);
  return detail::generate(std::move(extents), std::move(fn), type, context.where);
}

Term numbers_of(const Context& context, const Step& step, const Term& source) {
  return map_by(context, source, [&](const Terms& v) { return as_number(step.number, v[0]); });
}

}  // namespace hasten::conformance::random
