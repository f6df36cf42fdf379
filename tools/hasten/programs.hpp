// What subcommands that take a program in text form share.
#pragma once

#include "core/program.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hasten_tool {

/// Of a file. Throws Error.
[[nodiscard]] std::string contents(const std::string& path);
/// All numbers that were automatic are compiled in.
[[nodiscard]] hasten::core::Program with_literals_bound(hasten::core::Program program);
/// By scalar input. Throws Error if there are not as many.
[[nodiscard]] std::vector<hasten::core::Bits> scalar_arguments(const hasten::core::Program& program,
                                                               const std::vector<double>& numbers);
/// "3x4". Throws Error.
[[nodiscard]] std::vector<std::int64_t> extents_of(std::string_view text);
/// Of arrays that the program holds, by their numbers; of a number that is too large, nothing: the
/// verifier speaks of it.
[[nodiscard]] std::vector<hasten::core::ArrayType> types_used(const hasten::core::Program& program);

struct Part {
  std::string heading, text;
};
/// The programs of a text as HASTEN_DUMP writes it, in the stages that read back; a text without
/// headings is one. Empty lines take the place of what was before a part, so that the lines of
/// errors are those of the file.
[[nodiscard]] std::vector<Part> parts_of(std::string_view text);

}  // namespace hasten_tool
