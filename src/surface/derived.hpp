// Building blocks of derived operations: arrays from C++ functions on terms.
#pragma once

#include <hasten/detail/element_operator.hpp>
#include <hasten/detail/terms/array.hpp>

#include "surface/i64.hpp"
#include "surface/make.hpp"

namespace hasten::detail {

inline std::vector<Type> i64_types(std::size_t count) {
  return std::vector<Type>(count, leaf_type(ScalarType::i64));
}

inline std::vector<Term> params_of(const Scope& scope, std::size_t count) {
  std::vector<Term> params;
  params.reserve(count);
  for (std::size_t i = 0; i < count; ++i) params.push_back(scope.param(i));
  return params;
}

/// A modifiable copy of an index's components.
inline std::vector<Term> copied(std::span<const Term> index) {
  return {index.begin(), index.end()};
}

/// A tuple of these terms.
inline Term tuple_of(std::span<const Term> members) {
  std::vector<Type> types;
  types.reserve(members.size());
  for (const Term& member : members) types.push_back(type_of(member));
  return detail::make_tuple(tuple_type(types), members);
}
inline Term tuple_of(std::initializer_list<Term> members) {
  return tuple_of(std::span<const Term>(members.begin(), members.size()));
}

/// The array as seen by an operation from this side: from the right, with its last axis reversed.
inline Term seen_from(Side from, const Term& array, const Call& call) {
  return from == Side::left ? array : reverse_axis(array, rank_of(array) - 1, call);
}

/// The array of this extent with f(components of the index) at each index.
template <class F>
Term generated(std::vector<Term> extent, const Call& call, F f) {
  const std::vector<Type> types = i64_types(extent.size());
  Scope scope(types);
  const Term element = f(params_of(scope, extent.size()));
  const Type type = type_of(element);
  Function fn = scope.close({element}, call.operation, call.where);
  return generate(std::move(extent), std::move(fn), type, call.operation, call.where);
}

/// f of every element.
template <class F>
Term mapped(const Term& array, const Call& call, F f) {
  const Type from = type_of(array);
  Scope scope(std::span<const Type>(&from, 1));
  const Term element = f(scope.param(0));
  const Type type = type_of(element);
  Function fn = scope.close({element}, call.operation, call.where);
  return map(std::move(fn), type, array, call.operation, call.where);
}

/// f of the elements of two arrays of one rank; extents intersect.
template <class F>
Term zipped(const Term& a, const Term& b, const Call& call, F f) {
  const Type from[] = {type_of(a), type_of(b)};
  Scope scope(from);
  const Term element = f(scope.param(0), scope.param(1));
  const Type type = type_of(element);
  Function fn = scope.close({element}, call.operation, call.where);
  return zip_with(std::move(fn), type, {a, b}, Meet::intersection, call.operation, call.where);
}

/// An index in the form that functions take: a plain i64 at rank 1.
inline Term index_term_of(const std::vector<Term>& components) {
  return components.size() == 1 ? components[0] : tuple_of_i64(components);
}

/// An array of this extent whose element at `index` is the source's at `f(index)`.
template <class F>
Term reindexed(const Term& source, std::vector<Term> extent, const Call& call, F f) {
  const std::vector<Type> types = i64_types(extent.size());
  Scope scope(types);
  const std::vector<Term> index = f(params_of(scope, extent.size()));
  Function fn = scope.close({index_term_of(index)}, call.operation, call.where);
  return backpermute(std::move(extent), std::move(fn), source, Reads::inside, call);
}

/// An operator on two elements of a type.
template <class F>
Function operator_on(Type type, const Call& call, F f) {
  const Type types[] = {type, type};
  Scope scope(types);
  const Term result = f(scope.param(0), scope.param(1));
  return scope.close({result}, call.operation, call.where);
}
/// The operator that returns its left operand: for a permute, the new element.
inline Function left_of(Type type, const Call& call) {
  return operator_on(type, call, [](const Term& x, const Term&) { return x; });
}
inline Function i64_operator(ScalarOp op, const Call& call) {
  return operator_on(leaf_type(ScalarType::i64), call, [op](const Term& x, const Term& y) {
    return prim_of(op, ScalarType::i64, {x, y});
  });
}

/// By element, the number of the segment it lies in: offsets do not decrease, begin at 0 and end at
/// `extent`, an i64.
Term segment_numbers(const Term& offsets, const Term& extent, const Call& call);

inline constexpr const char* too_many_places =
    "the segments have more places together than can be counted; use shorter ones";

/// An element of a vector, at an index that is in range wherever this runs.
inline Term at(const Term& vector, const Term& i) {
  return index_array(vector, std::span<const Term>(&i, 1), Reads::inside);
}
/// The last element of a vector, which must have one.
inline Term last_of(const Term& vector) {
  return at(vector, i64::sub(extent_of(vector, 0), i64::literal(1)));
}

}  // namespace hasten::detail
