// Every environment switch of the library, in one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hasten::support {

struct Switch {
  const char* name;
  const char* default_value;  // as displayed
  const char* meaning;
};

/// All switches, for `hasten info` and the documentation's test.
std::span<const Switch> switches();

/// The value of a switch of the table; empty when it is unset or empty.
std::string env(const char* name);
/// The same as a number; nothing, with a warning, when it is not one or not in this range.
struct NumberRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};
std::optional<std::int64_t> env_number(const char* name, NumberRange range = {});
/// The same in bytes: a number, optionally with suffix K, M, G or T (powers of 1024).
std::optional<std::size_t> env_bytes(const char* name);
/// Whether a comma-separated switch contains this word ("core" in HASTEN_DUMP=core,llvm).
bool env_has(const char* name, const std::string& word);
/// The words of a comma-separated switch.
std::vector<std::string> env_words(const char* name);

/// Reports an invalid value of a switch on standard error, once per switch and process.
void warn_of_env(const char* name, const std::string& what);
/// What to warn of if a switch's file cannot be written because of this error (errno).
std::string cannot_write(const std::string& path, int error);
/// Warns of unknown words of a comma-separated switch, and lists the known ones. Words that begin
/// with `setting` are exempt.
void warn_of_unknown_words(const char* name, const char* noun,
                           std::span<const std::string_view> known, std::string_view setting = {});

}  // namespace hasten::support
