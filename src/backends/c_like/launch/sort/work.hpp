// What a method of sorting is given, and gives.
#pragma once

#include "backends/c_like/launch/sort/sort.hpp"

namespace hasten::backends::c_like {

/// What is sorted, by whom, and with what memory. There are elements.
struct SortWork {
  Driver& driver;
  Sorter& sorter;
  SortShape shape;
  ScratchMemory& scratch;

  [[nodiscard]] Address take(std::int64_t bytes) const {
    return scratch.take(static_cast<std::size_t>(bytes));
  }
};

struct SortMethod {
  std::vector<SortProgram> (*programs)();
  void (*sort)(const SortWork& work, std::span<const core::ScalarType> types,
               std::span<const std::byte* const> keys, const SortedKeys& to);
  /// As Sorter::sort_short.
  void (*sort_short)(const SortWork& work, unsigned bits, Address keys, Address positions);
};

}  // namespace hasten::backends::c_like
