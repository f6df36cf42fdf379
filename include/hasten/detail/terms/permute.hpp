// Elements sent to computed places, without templates; in src/surface/public/permutations.cpp.
#pragma once

#include <hasten/detail/terms/array.hpp>

namespace hasten::detail {

/// The operator that gives the new one of (new, old).
Function new_element(Type type, const Call& call);
/// What permute wants of a target: whether there is one, and its components as i64.
Term target_term(const Term& keep, std::span<const Term> index);

/// defaults, with each value at its target: indices are integers or tuples of integers. `mask`, an
/// array of bool, may be null. Of several values for one target the last in row-major order stays.
Term scatter_array(const Term& targets, const Term& mask, const Term& defaults, const Term& values,
                   const Call& call);

/// How often each bin in 0..bins - 1 occurs; others are dropped. With `weights` (not null) the sums
/// of these by `add`, from `zero`.
Term count_bins(const Term& bins, const Term& bin_of_each, const Call& call);
Term sum_bins(const Term& bins, const Term& bin_of_each, const Term& weights, Function add,
              const Term& zero, const Call& call);

}  // namespace hasten::detail
