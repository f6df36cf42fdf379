// The conditions that a scatter sets on its targets themselves, and on the indices that they are
// made of.
//
// in:  a scatter
// out: the bounds that `keep` sets on `target`, and the other conditions; `keep` is the conjunction
//      of all of them
#pragma once

#include "kernels/kernel.hpp"

#include <optional>
#include <vector>

namespace hasten::kernels {

/// Bounds are scalar arguments and constants of the element.
struct TargetBounds {
  std::vector<Value> at_least, below;
  std::vector<Value> others;  // bool
};

[[nodiscard]] TargetBounds target_bounds(const Kernel& scatter);

/// The same for another i64 of the element: mostly the index along one axis of the outputs.
struct IndexBounds {
  Value index;
  std::vector<Value> at_least, below;
};

/// Moves the conditions that are bounds of an index from the list to the result.
[[nodiscard]] std::vector<IndexBounds> take_index_bounds(const Kernel& scatter,
                                                         std::vector<Value>& conditions);

/// The bits of a constant that the region itself defines.
[[nodiscard]] std::optional<core::Bits> constant_of(const Region& region, Value v);

}  // namespace hasten::kernels
