// Reads the text form that print.hpp writes.
#pragma once

#include "core/program.hpp"
#include "core/text/lexer.hpp"

#include <string_view>

namespace hasten::core {

/// Parses a program. Contents of embedded arrays are not part of the text: `arrays_used` is empty.
/// Source locations are not read; the user's names of operations are. Types that are not spelled
/// out follow from operands. BuildError with line and column where the text is not a program. The
/// result need not be well formed: verify() it.
[[nodiscard]] Program parse_program(std::string_view text);

/// A region "(x0: f32) { ... }" inside another text. Types of its values are added to
/// `program.value_types`; values it uses from outside must be defined in `program`.
[[nodiscard]] Region parse_region(Lexer& lexer, Program& program);
/// "x0: f32, x1: i64)": values and their types, which are added to `program.value_types`.
[[nodiscard]] std::vector<Value> parse_typed_values(Lexer& lexer, Program& program);

/// "f32".
[[nodiscard]] ScalarType parse_type(Lexer& lexer);
/// "12": a count.
[[nodiscard]] std::uint32_t parse_number(Lexer& lexer);
/// "x12".
[[nodiscard]] Value parse_value(Lexer& lexer);

}  // namespace hasten::core
