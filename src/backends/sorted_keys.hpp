// Where a sort leaves its results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace hasten::backends {

/// A component of an array that is put in the order of the keys, and where it goes.
struct CarriedComponent {
  std::size_t bytes;  // of an element: 1, 2, 4, 8 or 16
  const std::byte* from;
  std::byte* to;
};

/// By row, in the order of its keys.
struct SortedKeys {
  /// Null: what is carried is all that is wanted.
  std::int64_t* positions = nullptr;
  /// If not null: 1 where a key is the first of its row, or differs from the one before it; else 0.
  std::byte* heads = nullptr;
  /// Positions are asked for only where heads are 1: elsewhere they may be anything.
  bool at_heads = false;
  /// Of arrays of rank 1, none shorter than the keys.
  std::vector<CarriedComponent> carried = {};
  /// So many positions of each row are asked for, the first ones: others may be anything. Then
  /// there are no heads, and nothing is carried.
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
};

}  // namespace hasten::backends
