// Which arrays are read through indices, and which element by element.
#pragma once

#include "passes/shapes.hpp"

#include <unordered_set>

namespace hasten::passes {

/// Visits bindings in program order.
class ReadOrder {
 public:
  explicit ReadOrder(const Shapes& shapes) : shapes_(shapes) {}

  void note(const core::Binding& binding);
  /// False: its elements are in memory, or are computed from those at the same position, so that
  /// they are contiguous whatever the axes are called.
  [[nodiscard]] bool is_by_index(core::ArrayId array) const { return by_index_.contains(array); }

 private:
  const Shapes& shapes_;
  std::unordered_set<core::ArrayId> by_index_;
};

}  // namespace hasten::passes
