// The arguments and results of a method of sorting.
#pragma once

#include "backends/c_like/launch/sort/sort.hpp"

namespace hasten::backends::c_like {

/// What is sorted, on which device, and with what memory. There is at least one element.
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
  /// Like Sorter::sort_short.
  void (*sort_short)(const SortWork& work, unsigned bits, Address keys, Address positions);
};

}  // namespace hasten::backends::c_like
