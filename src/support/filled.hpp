// Messages with numbers in them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hasten::support {

/// The text with each {} replaced by the next number.
inline std::string filled(std::string_view text, std::span<const std::int64_t> numbers) {
  std::string result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "{}" && next < numbers.size()) {
      result += std::to_string(numbers[next++]);
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace hasten::support
