// The destinations of a sort's results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace hasten::backends {

/// A component of an array that is put in the order of the keys, and its destination.
struct CarriedComponent {
  std::size_t bytes;  // of an element: 1, 2, 4, 8 or 16
  const std::byte* from;
  std::byte* to;
};

/// By row, in the order of its keys.
struct SortedKeys {
  /// Null: only what is carried is needed.
  std::int64_t* positions = nullptr;
  /// If not null: 1 where a key is the first of its row, or differs from the one before it; else 0.
  std::byte* heads = nullptr;
  /// Positions are needed only where heads are 1: elsewhere they may be anything.
  bool at_heads = false;
  /// Of arrays of rank 1, none shorter than the keys.
  std::vector<CarriedComponent> carried = {};
  /// Only the first `first` positions of each row are needed: others may be anything. Then there
  /// are no heads, and nothing is carried.
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
};

}  // namespace hasten::backends
