// What the texts of all sorts share.
#pragma once

#include "backends/c_like/text/dialect.hpp"

#include <cstddef>
#include <string>

namespace hasten::backends::c_like {

/// An unsigned number of 1, 4 or 8 bytes.
[[nodiscard]] const char* word_of(std::size_t bytes);
/// Not by fmt, which exported libraries have no room for.
[[nodiscard]] std::string defined(const char* name, int number);
/// The functions that run before the first digit and after the last. `order_bytes`: of a place, 4
/// or 8.
[[nodiscard]] std::string sort_ends_source(const Dialect& dialect, std::size_t order_bytes);

}  // namespace hasten::backends::c_like
