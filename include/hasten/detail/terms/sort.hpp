// Sorts by unsigned integer keys, without templates; defined in src/surface/public/sorting.cpp.
#pragma once

#include <hasten/detail/terms/array.hpp>

namespace hasten {

enum class Order : std::uint8_t { ascending, descending };

}  // namespace hasten

namespace hasten::detail {

/// The unsigned integer (or bool) that orders like the number, reversed for Order::descending; NaNs
/// are the greatest in both orders, and -0 equals +0.
Term sort_key_of_leaf(const Term& number, Order order);
/// The keys of the leaves of an element, as a tuple.
Term sort_key(const Term& element, Order order);

/// A vector in the order of its keys: the positions of its elements, and which of them begin a run
/// of equal keys. Positions are valid only where runs begin.
struct SortedRuns {
  Term positions, heads;
  std::vector<Term> carried;  // other vectors in the same order
};
/// `keys` is the vector itself, and no carried vector is shorter. A run has elements equal by ==: a
/// NaN equals nothing.
SortedRuns sorted_runs(const Term& keys, const std::vector<Term>& carried, const Call& call);
/// The first element of each run; `offsets` are the beginnings of the runs, then the number of
/// keys.
Term first_of_runs(const SortedRuns& runs, const Term& keys, const Term& offsets, const Call& call);

/// The elements of an array at positions along its innermost axis.
Term at_positions(const Term& array, const Term& positions, const Call& call);
/// Likewise for the array from which `keys` were computed, by their order.
Term in_order(const Term& array, const Term& keys, const Term& positions, Order order,
              const Call& call);

}  // namespace hasten::detail
