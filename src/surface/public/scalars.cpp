// Scalar terms behind the typed surface: conversions, comparison of groups, index arithmetic.
#include <hasten/detail/terms/complex.hpp>
#include <hasten/detail/terms/scalar.hpp>
#include <hasten/detail/trace.hpp>
#include <hasten/run/error.hpp>

#include "surface/make.hpp"

#include <algorithm>
#include <string>

namespace hasten::detail {
namespace {

Term integer_term(ScalarType type, std::int64_t value, LiteralMode mode) {
  return constant(type, {static_cast<std::uint64_t>(value), 0}, mode);
}
Term compare(ScalarOp op, const Term& a, const Term& b) {
  return prim_of(op, ScalarType::boolean, {a, b});
}

/// The leaves of two terms in pairs, in depth-first order, complex ones in parts; without
/// recursion.
std::vector<std::pair<Term, Term>> leaf_pairs(const Term& a, const Term& b) {
  std::vector<std::pair<Term, Term>> leaves, todo{{a, b}};
  while (!todo.empty()) {
    const auto [x, y] = std::move(todo.back());
    todo.pop_back();
    const Type type = type_of(x);
    if (type->is_leaf && is_complex(type->leaf)) {
      leaves.emplace_back(real_part(x), real_part(y));
      leaves.emplace_back(imaginary_part(x), imaginary_part(y));
      continue;
    }
    if (type->is_leaf) {
      leaves.emplace_back(x, y);
      continue;
    }
    for (auto m = static_cast<unsigned>(type->members.size()); m-- > 0;) {
      todo.emplace_back(project(x, m), project(y, m));
    }
  }
  return leaves;
}

/// A shift amount that is out of range for every type, and representable in every type.
constexpr std::int64_t beyond_every_width = 64;

}  // namespace

Term prim_of(ScalarOp op, ScalarType result, std::initializer_list<Term> args) {
  return prim(op, result, std::span<const Term>(args.begin(), args.size()));
}

Term cast_term(const Term& term, ScalarType to) {
  return type_of(term)->leaf == to ? term : prim_of(ScalarOp::cast, to, {term});
}

Term i64_term(std::int64_t value, LiteralMode mode) {
  return integer_term(ScalarType::i64, value, mode);
}

Term compare_terms(ScalarOp op, const Term& a, const Term& b) {
  if (type_of(a)->is_leaf && !is_complex(type_of(a)->leaf)) return compare(op, a, b);
  auto leaves = leaf_pairs(a, b);
  const bool equality = op == ScalarOp::eq || op == ScalarOp::ne;
  if (leaves.empty()) {
    return boolean_literal(op == ScalarOp::eq || op == ScalarOp::le || op == ScalarOp::ge);
  }
  Term result = compare(op, leaves.back().first, leaves.back().second);
  leaves.pop_back();
  const ScalarOp strict = op == ScalarOp::le   ? ScalarOp::lt
                          : op == ScalarOp::ge ? ScalarOp::gt
                                               : op;
  while (!leaves.empty()) {  // combines this leaf with the result of the leaves after it
    const auto& [x, y] = leaves.back();
    if (equality) {
      const ScalarOp join = op == ScalarOp::eq ? ScalarOp::and_ : ScalarOp::or_;
      result = prim_of(join, ScalarType::boolean, {compare(op, x, y), result});
    } else {
      const Term tie =
          prim_of(ScalarOp::and_, ScalarType::boolean, {compare(ScalarOp::eq, x, y), result});
      result = prim_of(ScalarOp::or_, ScalarType::boolean, {compare(strict, x, y), tie});
    }
    leaves.pop_back();
  }
  return result;
}

Term zip_leaves(ScalarOp op, const Term& a, const Term& b) {
  const auto pairs = leaf_pairs(a, b);
  std::vector<Term> parts;
  parts.reserve(pairs.size());
  for (const auto& [x, y] : pairs) {
    parts.push_back(prim_of(op, type_of(x)->leaf, {x, y}));
  }
  return detail::make_tuple(type_of(a), parts);
}

std::vector<Term> components_of(const Term& term) {
  const Type type = type_of(term);
  if (type->is_leaf) return {term};
  std::vector<Term> parts;
  parts.reserve(type->members.size());
  for (unsigned m = 0; m < type->members.size(); ++m) parts.push_back(project(term, m));
  return parts;
}

Term tuple_of_i64(std::span<const Term> components) {
  const std::vector<Type> types(components.size(), leaf_type(ScalarType::i64));
  return detail::make_tuple(tuple_type(types), components);
}

Term choose(const Term& condition, const Term& a, const Term& b) {
  return prim_of(ScalarOp::select, type_of(a)->leaf, {condition, a, b});
}

Term product_of(std::span<const Term> factors) {
  if (factors.empty()) return i64_term(1, LiteralMode::baked);
  Term product = factors[0];
  for (const Term& factor : factors.subspan(1)) {
    product = prim_of(ScalarOp::mul, ScalarType::i64, {product, factor});
  }
  return product;
}

std::vector<Term> extents_of(const Term& array) {
  std::vector<Term> extents;
  extents.reserve(rank_of(array));
  for (unsigned axis = 0; axis < rank_of(array); ++axis) extents.push_back(extent_of(array, axis));
  return extents;
}

Term linear_index(std::span<const Term> shape, std::span<const Term> index) {
  if (index.empty()) return i64_term(0, LiteralMode::baked);
  Term linear = index[0];
  for (std::size_t k = 1; k < index.size(); ++k) {
    const Term scaled = prim_of(ScalarOp::mul, ScalarType::i64, {linear, shape[k]});
    linear = prim_of(ScalarOp::add, ScalarType::i64, {scaled, index[k]});
  }
  return linear;
}

std::vector<Term> index_at(std::span<const Term> shape, const Term& linear) {
  std::vector<Term> index(shape.size());
  Term rest = linear;
  for (std::size_t k = shape.size(); k-- > 1;) {
    index[k] = prim_of(ScalarOp::rem, ScalarType::i64, {rest, shape[k]});
    rest = prim_of(ScalarOp::quot, ScalarType::i64, {rest, shape[k]});
  }
  if (!index.empty()) index[0] = rest;
  return index;
}

Term index_in_range(std::span<const Term> shape, std::span<const Term> index) {
  Term result = boolean_literal(true);
  for (std::size_t k = 0; k < index.size(); ++k) {
    const Term low = compare(ScalarOp::ge, index[k], i64_term(0, LiteralMode::baked));
    const Term high = compare(ScalarOp::lt, index[k], shape[k]);
    const Term both = prim_of(ScalarOp::and_, ScalarType::boolean, {low, high});
    result = k == 0 ? both : prim_of(ScalarOp::and_, ScalarType::boolean, {result, both});
  }
  return result;
}

Term shift_amount(const Term& amount, ScalarType shifted) {
  const ScalarType from = type_of(amount)->leaf;
  if (size_in_bytes(from) <= size_in_bytes(shifted)) return cast_term(amount, shifted);
  // A narrower type would wrap the amount, perhaps back into range.
  const auto baked = [&](std::int64_t value) {
    return integer_term(from, value, LiteralMode::baked);
  };
  Term clamped = prim_of(ScalarOp::min, from, {amount, baked(beyond_every_width)});
  if (is_signed_int(from)) clamped = prim_of(ScalarOp::max, from, {clamped, baked(-1)});
  return cast_term(clamped, shifted);
}

Term shift_amount(std::int64_t amount, ScalarType shifted) {
  const auto value = std::clamp<std::int64_t>(amount, -1, beyond_every_width);
  const bool wraps = is_unsigned_int(shifted) && value < 0;  // every negative amount is too large
  return integer_term(shifted, wraps ? beyond_every_width : value, LiteralMode::parameter);
}

Term rotate_amount(const Term& amount, ScalarType rotated) {
  return cast_term(amount, rotated);  // wrapping keeps the amount modulo the width
}

Term rotate_amount(std::int64_t amount, ScalarType rotated) {
  constexpr std::int64_t widest = 64;  // widths are powers of two up to this
  return integer_term(rotated, ((amount % widest) + widest) % widest, LiteralMode::parameter);
}

Term bit_count(ScalarOp op, const Term& term) { return prim_of(op, ScalarType::i32, {term}); }

Term choose_alternative(const Term& tag, std::span<const Term> terms) {
  Term result = terms.back();
  for (std::size_t i = terms.size() - 1; i-- > 0;) {
    const Term number = constant(ScalarType::u8, {i, 0}, LiteralMode::baked);
    result = conditional(compare(ScalarOp::eq, tag, number), terms[i], result);
  }
  return result;
}

Term known_member(const Term& tuple, std::int64_t k, const Where& where) {
  const auto count = static_cast<std::int64_t>(type_of(tuple)->members.size());
  if (k < 0 || k >= count) {
    throw BuildError("[" + std::to_string(k) + "] of a group of " + std::to_string(count) +
                         " members; use 0 to " + std::to_string(count - 1),
                     where);
  }
  return project(tuple, static_cast<unsigned>(k));
}

namespace {

/// select(c, a, b), leaf by leaf.
Term choose_leaves(const Term& condition, const Term& a, const Term& b) {
  const Type type = type_of(a);
  if (type->is_leaf) return choose(condition, a, b);
  std::vector<Term> members;
  for (unsigned m = 0; m < type->members.size(); ++m)
    members.push_back(choose_leaves(condition, project(a, m), project(b, m)));
  return detail::make_tuple(type, members);
}

/// The index of one of `count` elements, clamped. 32 bits suffice, and a vector has as many lanes
/// of that width as of most element types.
Term place_among(std::size_t count, const Term& k) {
  const Term last = i64_term(static_cast<std::int64_t>(count) - 1, LiteralMode::baked);
  const Term first = i64_term(0, LiteralMode::baked);
  const Term inside = prim_of(ScalarOp::max, ScalarType::i64,
                              {prim_of(ScalarOp::min, ScalarType::i64, {k, last}), first});
  return cast_term(inside, ScalarType::i32);
}

Term number_of(std::int64_t value) {
  return integer_term(ScalarType::i32, value, LiteralMode::baked);
}

// Larger arrays reside in memory where they are a loop's state and the target prefers it.
constexpr std::size_t selected_max = 4;

std::vector<Term> elements_of(const Term& array) {
  std::vector<Term> members = components_of(array);
  if (members.empty()) throw BuildError("a std::array without elements has no element to choose");
  return members;
}

}  // namespace

// Selects by one bit of the index after the other, from the lowest: each bit halves the candidates,
// so that there are as many conditions as bits.
Term choose_member(const Term& array, const Term& k) {
  std::vector<Term> left = elements_of(array);
  const Term place = place_among(left.size(), k);
  if (left.size() > selected_max) return extract(array, place);
  for (std::int64_t bit = 1; left.size() > 1; bit *= 2) {
    const Term masked = prim_of(ScalarOp::and_, ScalarType::i32, {place, number_of(bit)});
    const Term is_odd = compare(ScalarOp::ne, masked, number_of(0));
    std::vector<Term> chosen;
    for (std::size_t m = 0; m < left.size(); m += 2)
      chosen.push_back(m + 1 < left.size() ? choose_leaves(is_odd, left[m + 1], left[m]) : left[m]);
    left = std::move(chosen);
  }
  return left[0];
}

Term known_update(const Term& array, std::int64_t k, const Term& element, const Where& where) {
  (void)known_member(array, k, where);
  std::vector<Term> elements = components_of(array);
  elements[static_cast<std::size_t>(k)] = element;
  return detail::make_tuple(type_of(array), elements);
}

Term choose_update(const Term& array, const Term& k, const Term& element) {
  std::vector<Term> elements = elements_of(array);
  if (elements.size() == 1) return detail::make_tuple(type_of(array), {&element, 1});
  const Term place = place_among(elements.size(), k);
  if (elements.size() > selected_max) return insert(array, place, element);
  for (std::size_t m = 0; m < elements.size(); ++m) {
    const Term is_here = compare(ScalarOp::eq, place, number_of(static_cast<std::int64_t>(m)));
    elements[m] = choose_leaves(is_here, element, elements[m]);
  }
  return detail::make_tuple(type_of(array), elements);
}

}  // namespace hasten::detail
