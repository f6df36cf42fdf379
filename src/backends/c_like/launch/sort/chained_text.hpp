// The texts of sorts with one pass over memory for each digit.
#pragma once

#include "backends/c_like/text/dialect.hpp"

#include <cstddef>
#include <string>

namespace hasten::backends::c_like {

/// What `sort_move` is compiled for: keys of 1, 4 or 8 bytes, and what moves with each of them.
struct MovedBytes {
  std::size_t key = 4;
  std::size_t value = 0;  // 0, 4 or 8
  bool is_short = false;  // for few elements: tiles are small, so that there are several
};
/// The number of elements that an item of a group moves at once. For many elements it is limited by
/// local memory and registers: the more elements of a digit are together, the fewer lines they are
/// written to.
[[nodiscard]] int moved_items(MovedBytes bytes);

/// Counts digits, and moves elements. For devices whose items shuffle, and whose groups may wait
/// for groups that began before.
[[nodiscard]] std::string chained_sort_source(const Dialect& dialect, MovedBytes bytes);

}  // namespace hasten::backends::c_like
