// Elements chosen by a mask, without templates; defined in src/surface/public/choosing.cpp.
#pragma once

#include <hasten/detail/terms/array.hpp>

namespace hasten::detail {

/// The elements of a vector where the mask is true, in order; extents intersect.
Term kept_elements(const Term& mask, const Term& array, const Call& call);
/// The pair of these elements and those where the mask is false.
std::pair<Term, Term> parted_elements(const Term& mask, const Term& array, const Call& call);
/// The mask restricted to the array's extents, or the array to the mask's.
Term cut_mask(const Term& mask, const Term& array, const Call& call);
Term cut_to_mask(const Term& mask, const Term& array, const Call& call);

/// The positions of the first element of each run, then the number of elements.
Term run_offsets(const Term& heads, const Call& call);
/// The first element of each run of a vector, and the length of the run.
std::pair<Term, Term> runs_of(const Term& heads, const Term& array, const Call& call);
/// The differences of neighbours: one fewer than there are offsets.
Term differences(const Term& offsets, const Call& call);
/// The first element of each run of a vector.
Term at_run_starts(const Term& array, const Term& offsets, const Call& call);

}  // namespace hasten::detail
