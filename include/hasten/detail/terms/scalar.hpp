// Scalar terms from which the typed surface is built, without templates; defined in
// src/surface/public/scalars.cpp.
#pragma once

#include <hasten/detail/term.hpp>

#include <initializer_list>

namespace hasten::detail {

Term prim_of(ScalarOp op, ScalarType result, std::initializer_list<Term> args);
/// A conversion; a term that has the type already is returned unchanged.
Term cast_term(const Term& term, ScalarType to);
Term i64_term(std::int64_t value, LiteralMode mode = LiteralMode::automatic);
/// Comparison of any two terms of one type: eq and ne by component, the others lexicographic.
Term compare_terms(ScalarOp op, const Term& a, const Term& b);
/// Applies the operation componentwise to tuples of leaves of one type.
Term zip_leaves(ScalarOp op, const Term& a, const Term& b);
/// The members of a tuple; for a leaf, the leaf itself.
std::vector<Term> components_of(const Term& term);
/// A tuple of i64 terms, of the type of Ix<N>.
Term tuple_of_i64(std::span<const Term> components);
/// Member k of a tuple; k out of range is a BuildError.
Term known_member(const Term& tuple, std::int64_t k, const Where& where);
/// Element k of an array of equal types, where k is known only at run time and is clamped into
/// range.
Term choose_member(const Term& array, const Term& k);
/// The array with element k replaced; k out of range is a BuildError if it is known, else clamped.
Term known_update(const Term& array, std::int64_t k, const Term& element, const Where& where);
Term choose_update(const Term& array, const Term& k, const Term& element);
/// terms[tag], lazily; the last term for any larger tag, a u8.
Term choose_alternative(const Term& tag, std::span<const Term> terms);
/// select(c, a, b) on leaves, both evaluated.
Term choose(const Term& condition, const Term& a, const Term& b);
/// The product of i64 terms; 1 if there are none.
Term product_of(std::span<const Term> factors);
/// The extents of an array, outermost first.
std::vector<Term> extents_of(const Term& array);
/// The row-major position of an index, and its inverse.
Term linear_index(std::span<const Term> shape, std::span<const Term> index);
std::vector<Term> index_at(std::span<const Term> shape, const Term& linear);
/// Whether 0 <= index < shape in every component.
Term index_in_range(std::span<const Term> shape, std::span<const Term> index);

/// The amount of a shift or rotation, of any integral type, converted to the shifted type: an
/// amount out of range stays out of range.
Term shift_amount(const Term& amount, ScalarType shifted);
Term shift_amount(std::int64_t amount, ScalarType shifted);
Term rotate_amount(const Term& amount, ScalarType rotated);
Term rotate_amount(std::int64_t amount, ScalarType rotated);
/// popcount and similar counts, as an i32.
Term bit_count(ScalarOp op, const Term& term);

}  // namespace hasten::detail
