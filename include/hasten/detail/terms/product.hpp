// Arrays repeated to common index spaces, without templates; defined in
// src/surface/public/products.cpp.
#pragma once

#include <hasten/detail/terms/array.hpp>

#include <utility>

namespace hasten::detail {

/// The array repeated to this extent, of the array's rank or more: axes are matched from the
/// innermost, an axis of extent 1 repeats, and outer axes that the array lacks are added. Extents
/// that do not match are a ShapeError.
Term broadcast_array(std::vector<Term> extent, const Term& array, const Call& call);

/// The rows of an array, repeated along a new innermost axis of this extent.
Term along_rows(const Term& rows, const Term& extent, const Call& call);

/// The two factors of a product of matrices or vectors, each as an array over the axes of the
/// result followed by the summed axis. Throws ShapeError if the inner extents differ.
std::pair<Term, Term> product_factors(const Term& a, const Term& b, const Call& call);
/// Vectors a and b, repeated over the rows and columns of their outer product.
std::pair<Term, Term> outer_factors(const Term& a, const Term& b, const Call& call);

}  // namespace hasten::detail
