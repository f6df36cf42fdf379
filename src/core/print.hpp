// The text form of the core language: complete (except for the contents of arrays), readable,
// stable.
//
//   program (x0: f32) {
//     %0 : [f32; 1] manifest = input 0  // dotp.cpp:12
//     x1 = extent %0 0  // dotp.cpp:12
//     %1 : [f32; 1] delayed = map %0 (x2: f32) { x3 = mul x2 x0; -> x3 }  // dotp.cpp:12 scale
//     -> %1
//   }
//
// Values are x<number>, arrays %<number>, both with their number in the program. A type is spelled
// out where neither the operation nor its operands determine it. `_` is an axis that is kept; `#k`
// after a constant is its slot in Program::literals (`auto` or `param`).
#pragma once

#include "core/program.hpp"

#include <span>
#include <string>

namespace hasten::core {

[[nodiscard]] std::string print(const Program& program);
[[nodiscard]] std::string print(const Block& block, const Program& program);
[[nodiscard]] std::string print(const Binding& binding, const Program& program);
/// `indent` is in spaces, for the lines after the first.
[[nodiscard]] std::string print(const Region& region, std::span<const ScalarType> value_types,
                                int indent = 0);
[[nodiscard]] std::string print(const Stmt& stmt, std::span<const ScalarType> value_types);

/// "[f32; 1]", "[(f32, i64); 2]".
[[nodiscard]] std::string print(const ArrayType& type);
/// A number that reads back as exactly these bits: "2.5", "-7", "true", "nan", "(1, 2)".
[[nodiscard]] std::string print(ScalarType type, const Bits& bits);

/// "dotp.cpp:12".
[[nodiscard]] std::string print(const std::source_location& where);

}  // namespace hasten::core
