// The scalar table in a dialect of C: types, literals, operations.
#pragma once

#include "backends/c_like/text/source.hpp"
#include "core/scalar_ops.hpp"

#include <set>
#include <span>
#include <string>

namespace hasten::backends::c_like {

using core::ScalarOp;
using core::ScalarType;

/// The type of a value in a register (half and bfloat16: f32, already rounded) and in memory
/// (bool: u8; half and bfloat16: u16), as the prelude names them.
[[nodiscard]] const char* register_type(ScalarType type);
[[nodiscard]] const char* memory_type(ScalarType type);

/// Spells operations as expressions, and records which helper functions they call.
class ExpressionEmitter {
 public:
  explicit ExpressionEmitter(const Dialect& dialect) : dialect_(dialect) {}

  [[nodiscard]] const Dialect& dialect() const { return dialect_; }

  [[nodiscard]] std::string literal(ScalarType type, const core::Bits& bits);
  [[nodiscard]] std::string apply(ScalarOp op, ScalarType result, std::span<const ScalarType> types,
                                  std::span<const std::string> args);
  /// The maximum of x and 0.
  [[nodiscard]] std::string positive(ScalarType type, const std::string& x);
  /// Converts from the form in memory to a value, and back.
  [[nodiscard]] std::string from_memory(ScalarType type, const std::string& x);
  [[nodiscard]] std::string to_memory(ScalarType type, const std::string& x);

  /// The types, and the helpers used so far: precedes everything else. `ix` is the type of the
  /// skeletons' own indices.
  [[nodiscard]] std::string prelude(IndexWidth width) const;

 private:
  using Args = std::span<const std::string>;
  std::string integral(ScalarOp op, ScalarType type, std::span<const ScalarType> types, Args args);
  std::string boolean(ScalarOp op, Args args);
  std::string floating(ScalarOp op, ScalarType type, Args args);
  std::string math(ScalarOp op, ScalarType type, Args args);
  std::string convert(ScalarType from, ScalarType to, const std::string& x);
  std::string reinterpret(ScalarType from, ScalarType to, const std::string& x);
  /// The low bits of an integer that C may have promoted to more bits.
  std::string narrowed(ScalarType to, const std::string& x);
  std::string rounded(ScalarType small, const std::string& x);
  std::string from_double(ScalarType small, const std::string& x);

  /// A call of a helper, whose text is thereby included.
  std::string call(const std::string& name, ScalarType type, Args args);
  std::string call(const std::string& name, Args args);

  const Dialect& dialect_;
  std::set<std::pair<std::string, ScalarType>> used_;  // helpers, by the type they are for
};

/// The text of a helper for a type; `name` is one of those that expressions call.
[[nodiscard]] std::string helper_text(const std::string& name, ScalarType type,
                                      const Dialect& dialect);
/// Whether results that wrap to this type have to go through the function `narrowed`.
[[nodiscard]] bool has_narrowed(ScalarType type, const Dialect& dialect);
/// The type names, and the functions they need, which come first.
[[nodiscard]] std::string prelude_types(const Dialect& dialect, IndexWidth width);

}  // namespace hasten::backends::c_like
