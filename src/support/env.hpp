// Every environment switch of the library, in one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hasten::support {

struct Switch {
  const char* name;
  const char* default_value;  // as shown to people
  const char* meaning;
};

/// All switches, for `hasten info` and the documentation's test.
std::span<const Switch> switches();

/// The value of a switch of the table; empty when it is not set or set to nothing.
std::string env(const char* name);
/// The same as a number; nothing when it is not one, which is warned of.
std::optional<std::int64_t> env_number(const char* name);
/// The same as bytes: a number, perhaps with K, M, G or T (powers of 1024) behind it.
std::optional<std::size_t> env_bytes(const char* name);
/// Whether a comma-separated switch holds this word ("core" in HASTEN_DUMP=core,llvm).
bool env_has(const char* name, const std::string& word);
/// The words of a comma-separated switch.
std::vector<std::string> env_words(const char* name);

/// Says on standard error what is wrong with the value of a switch: the first time in this process
/// for each switch, and never again.
void warn_of_env(const char* name, const std::string& what);
/// Warns of words of a comma-separated switch that name nothing, and says what there is. Words that
/// begin like `setting` are none of these.
void warn_of_unknown_words(const char* name, const char* noun,
                           std::span<const std::string_view> known, std::string_view setting = {});

}  // namespace hasten::support
