// What named() calls an array is the name of what is inlined into it, too.
#pragma once

#include "surface/sharing/items.hpp"

namespace hasten::detail::sharing {

/// Gives the labels of arrays to the maps, views and the like that are computed for these arrays
/// alone, as long as they have no labels of their own. What reaches memory by its nature (what is
/// brought in, folds, scans, loops, compute) keeps to the label it was given.
void spread_labels(ItemList& list);

}  // namespace hasten::detail::sharing
