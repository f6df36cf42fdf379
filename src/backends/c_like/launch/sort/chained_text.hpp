// The texts of sorts in one pass over memory for each digit.
#pragma once

#include "backends/c_like/text/dialect.hpp"

#include <cstddef>
#include <string>

namespace hasten::backends::c_like {

/// What `sort_move` is compiled for: keys of 1, 4 or 8 bytes, and what moves with each of them.
struct MovedBytes {
  std::size_t key = 4;
  std::size_t value = 0;  // 0, 4 or 8
  bool is_short = false;  // so few elements that tiles are small, for there to be some
};
/// Elements that an item of a group moves at once. Of many elements as many as local memory and
/// registers have room for: the more of a digit are together, the fewer lines they are written to.
[[nodiscard]] int moved_items(MovedBytes bytes);

/// Digits are counted, and elements moved. For devices whose items shuffle, and whose groups may
/// wait for those that began before.
[[nodiscard]] std::string chained_sort_source(const Dialect& dialect, MovedBytes bytes);

}  // namespace hasten::backends::c_like
