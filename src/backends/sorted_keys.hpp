// Where a sort leaves its results.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hasten::backends {

/// By row, in the order of its keys.
struct SortedKeys {
  std::int64_t* positions = nullptr;
  /// If not null: 1 where a key is the first of its row, or differs from the one before it; else 0.
  std::byte* heads = nullptr;
};

}  // namespace hasten::backends
