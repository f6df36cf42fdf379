// Sorting by keys of unsigned integers, without templates; in src/surface/public/sorting.cpp.
#pragma once

#include <hasten/detail/terms/array.hpp>

namespace hasten {

enum class Order : std::uint8_t { ascending, descending };

}  // namespace hasten

namespace hasten::detail {

/// An unsigned integer (or bool) for a number: ordered alike, for Order::descending the other way
/// round; NaNs are the greatest in both, -0 equals +0.
Term sort_key_of_leaf(const Term& number, Order order);
/// The keys of the leaves of an element, as a tuple.
Term sort_key(const Term& element, Order order);

/// A vector in the order of its keys: where its elements are, and which begin a run of equal keys.
/// Positions are valid where runs begin, nowhere else.
struct SortedRuns {
  Term positions, heads;
  std::vector<Term> carried;  // other vectors in that order
};
/// `keys` is the vector itself, and no carried one is shorter. Runs are of equal elements by ==: a
/// NaN equals nothing.
SortedRuns sorted_runs(const Term& keys, const std::vector<Term>& carried, const Call& call);
/// The first of each run; `offsets` are where the runs begin, then the number of keys.
Term first_of_runs(const SortedRuns& runs, const Term& keys, const Term& offsets, const Call& call);

/// The elements of an array at positions along its innermost axis.
Term at_positions(const Term& array, const Term& positions, const Call& call);
/// The same for the array that `keys` were made of, by their order.
Term in_order(const Term& array, const Term& keys, const Term& positions, Order order,
              const Call& call);

}  // namespace hasten::detail
