// Scatters to computed positions, without templates; defined in
// src/surface/public/permutations.cpp.
#pragma once

#include <hasten/detail/terms/array.hpp>

namespace hasten::detail {

/// The operator that returns the new one of (new, old).
Function new_element(Type type, const Call& call);
/// A target in the form that permute needs: whether there is one, and its components as i64.
Term target_term(const Term& keep, std::span<const Term> index);

/// The defaults with each value stored at its target; indices are integers or tuples of integers.
/// `mask`, an array of bool, may be null. If several values have the same target, the last one in
/// row-major order is kept.
Term scatter_array(const Term& targets, const Term& mask, const Term& defaults, const Term& values,
                   const Call& call);

/// The number of occurrences of each bin in 0..bins - 1; other bins are dropped. With `weights`
/// (not null), the sums of the weights by `add`, from `zero`.
Term count_bins(const Term& bins, const Term& bin_of_each, const Call& call);
Term sum_bins(const Term& bins, const Term& bin_of_each, const Term& weights, Function add,
              const Term& zero, const Call& call);

}  // namespace hasten::detail
