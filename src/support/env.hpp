// Every environment switch of the library, in one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

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
/// The same as a number; nothing when it is not one.
std::optional<std::int64_t> env_number(const char* name);
/// The same as bytes: a number, perhaps with K, M, G or T (powers of 1024) behind it.
std::optional<std::size_t> env_bytes(const char* name);
/// Whether a comma-separated switch holds this word ("core" in HASTEN_DUMP=core,llvm).
bool env_has(const char* name, const std::string& word);

}  // namespace hasten::support
