// Spreads the name that named() gives to an array to everything inlined into the array.
#pragma once

#include "surface/sharing/items.hpp"

namespace hasten::detail::sharing {

/// Gives the labels of arrays to the maps, views and the like that are computed only for these
/// arrays, unless they have labels of their own. Operations that always reach memory (inputs,
/// folds, scans, loops, compute) keep the label they were given.
void spread_labels(ItemList& list);

}  // namespace hasten::detail::sharing
