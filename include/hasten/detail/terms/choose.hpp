// Elements chosen by a mask, without templates; in src/surface/public/choosing.cpp.
#pragma once

#include <hasten/detail/terms/array.hpp>

namespace hasten::detail {

/// The elements of a vector where the mask is true, in order; extents intersect.
Term kept_elements(const Term& mask, const Term& array, const Call& call);
/// The same, and those where it is not.
std::pair<Term, Term> parted_elements(const Term& mask, const Term& array, const Call& call);
/// The mask cut to the array's extents, or the array to the mask's.
Term cut_mask(const Term& mask, const Term& array, const Call& call);
Term cut_to_mask(const Term& mask, const Term& array, const Call& call);

/// The positions where runs begin, then the number of elements.
Term run_offsets(const Term& heads, const Call& call);
/// The first element of each run of a vector, and how many it has.
std::pair<Term, Term> runs_of(const Term& heads, const Term& array, const Call& call);
/// What lies between neighbours: one less.
Term differences(const Term& offsets, const Call& call);
/// The elements of a vector at the first of each run.
Term at_run_starts(const Term& array, const Term& offsets, const Call& call);

}  // namespace hasten::detail
