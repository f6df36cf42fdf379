// The C source of an exported library: its functions, and its programs as data.
#pragma once

#include "ahead/exporting/header.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace hasten::ahead {

/// Code of one level: by kernel, the symbols of its functions ("": none).
struct LevelSource {
  int level = 0;
  std::vector<std::byte> schedules;
  std::vector<std::vector<std::string>> symbols;
};

/// The whole of NAME.c. `entries`: as ahead::write_entry gives them.
[[nodiscard]] std::string linked_source(const Library& library,
                                        const std::vector<std::vector<std::byte>>& entries,
                                        const std::vector<LevelSource>& levels);
/// The same for programs that are compiled when a context is made, by the function `main_name`.
[[nodiscard]] std::string jit_source(const Library& library, const std::string& main_name);

}  // namespace hasten::ahead
