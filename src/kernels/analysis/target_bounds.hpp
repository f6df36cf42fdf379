// What a scatter demands of its targets themselves.
//
// in:  a scatter
// out: bounds that `keep` sets to `target`, and the other conditions: all of them together are
// `keep`
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

/// The bits of a constant of the region's own.
[[nodiscard]] std::optional<core::Bits> constant_of(const Region& region, Value v);

}  // namespace hasten::kernels
