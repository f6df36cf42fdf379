// Array terms from which the derived operations are built, without templates; defined in
// src/surface/public/array_terms.cpp. `operation` is the user's name for the result.
#pragma once

#include <hasten/detail/term.hpp>

namespace hasten::detail {

/// The name of an operation and its place in the user's source.
struct Call {
  const char* operation;
  Where where;
};

/// An array whose elements all equal the value.
Term fill_array(std::vector<Term> extent, const Term& value, const Where& where);
/// start + i * step at row-major position i, converted to the type of start; without a step, 1.
Term enumerate(std::vector<Term> extent, const Term& start, const Term& step, const Where& where);
/// The same array under the user's name for it; an empty name is none. `where` is its place if it
/// has none of its own.
Term named_array(std::string_view name, const Term& array, const Where& where);
/// The index of each element of an array: an i64 at rank 1, else a tuple of i64.
Term index_of_each(const Term& array, const Where& where);
/// The elements of an array, converted to another primitive type; the array itself if it has that
/// type already.
Term cast_each(const Term& array, ScalarType to, const Call& call);

Term flatten_array(const Term& array, const Call& call);
Term swap_axes(const Term& array, unsigned a, unsigned b, const Call& call);
/// Moves the axis to the innermost position; the other axes keep their order.
Term move_innermost(const Term& array, unsigned axis, const Call& call);
/// Moves the innermost axis to this position: the inverse of move_innermost.
Term move_from_innermost(const Term& array, unsigned axis, const Call& call);
Term reverse_axis(const Term& array, unsigned axis, const Call& call);
Term rotate_axis(const Term& array, unsigned axis, const Term& n, const Call& call);
Term take_axis(const Term& array, unsigned axis, const Term& n, const Call& call);
Term drop_axis(const Term& array, unsigned axis, const Term& n, const Call& call);
Term init_axis(const Term& array, unsigned axis, const Call& call);
Term tail_axis(const Term& array, unsigned axis, const Call& call);
Term slit_axis(const Term& array, unsigned axis, const Term& start, const Term& length,
               const Call& call);

}  // namespace hasten::detail
