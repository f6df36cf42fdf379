// The two ways to sort on a device.
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

/// Of digits of four bits: counted by tile, then moved.
inline constexpr const char* tiled_sort_program = "sort";
[[nodiscard]] std::string tiled_sort_source(const Dialect& dialect);
void sort_in_tiles(const SortWork& work, std::span<const core::ScalarType> types,
                   std::span<const std::byte* const> keys, const SortedKeys& to);
/// As Sorter::sort_short.
void sort_short_in_tiles(const SortWork& work, unsigned bits, Address keys, Address positions);

/// Of digits of eight bits: tiles wait for those before them.
[[nodiscard]] std::vector<SortProgram> chained_sort_programs();
void sort_in_chains(const SortWork& work, std::span<const core::ScalarType> types,
                    std::span<const std::byte* const> keys, const SortedKeys& to);
void sort_short_in_chains(const SortWork& work, unsigned bits, Address keys, Address positions);

}  // namespace hasten::backends::c_like
