// Small text files of the system, without streams: keeps exported libraries small.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace hasten::support {

/// The file's lines, without line ends; empty if it cannot be read.
[[nodiscard]] std::vector<std::string> lines_of(const std::string& path);
/// "" if there is none.
[[nodiscard]] std::string first_line(const std::string& path);

/// The parts between the separators.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// The number at the start of a text, after blanks; advances the text past it.
template <class T>
[[nodiscard]] std::optional<T> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace hasten::support
