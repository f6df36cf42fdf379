// Functions shared by the subcommands that take a program in text form.
#pragma once

#include "core/program.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hasten_tool {

/// The contents of a file. Throws Error.
[[nodiscard]] std::string contents(const std::string& path);
/// The program with all automatic literals compiled in.
[[nodiscard]] hasten::core::Program with_literals_bound(hasten::core::Program program);
/// The arguments for the scalar inputs. Throws Error if their number is wrong.
[[nodiscard]] std::vector<hasten::core::Bits> scalar_arguments(const hasten::core::Program& program,
                                                               const std::vector<double>& numbers);
/// Parses extents such as "3x4". Throws Error.
[[nodiscard]] std::vector<std::int64_t> extents_of(std::string_view text);
/// The types of the arrays that the program holds, by number. A number that is too large is left to
/// the verifier.
[[nodiscard]] std::vector<hasten::core::ArrayType> types_used(const hasten::core::Program& program);

struct Part {
  std::string heading, text;
};
/// The programs in a text written by HASTEN_DUMP, for the stages that can be read back; a text
/// without headings is one program. Empty lines replace the text before each part, so that errors
/// name the lines of the file.
[[nodiscard]] std::vector<Part> parts_of(std::string_view text);

}  // namespace hasten_tool
