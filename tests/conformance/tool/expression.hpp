// Random scalar expressions: trees over all operations of the table, as plain data that RapidCheck
// can generate, print and shrink, and that become terms when a program is built.
#pragma once

#include "core/scalar_ops.hpp"
#include "tests/conformance/tool/harness.hpp"

#include <rapidcheck.h>

#include <ostream>
#include <vector>

namespace hasten::detail {

inline std::ostream& operator<<(std::ostream& out, ScalarType type) { return out << name_of(type); }

}  // namespace hasten::detail

namespace hasten::conformance {

struct Tree {
  enum class Kind : std::uint8_t {
    variable,     // number
    literal,      // bits, mode
    operation,    // op; children: arguments
    conditional,  // children: condition, then, else
    loop,         // children: initial state, next state, how often (u8)
    state,        // the state of the innermost loop of this type; without one it is zero
  };
  Kind kind = Kind::literal;
  detail::ScalarType type{};
  detail::ScalarOp op{};
  std::uint32_t number = 0;
  detail::LiteralBits bits{};
  detail::LiteralMode mode{};
  std::vector<Tree> children{};
};
std::ostream& operator<<(std::ostream&, const Tree&);

/// The primitive types that expressions use.
const std::vector<detail::ScalarType>& expression_types();

/// The constructs that an expression may contain.
struct Grammar {
  std::vector<detail::ScalarType> types = expression_types();
  int depth = 5;
  /// Operations that observe the bits of a NaN, in which targets may differ. Their arguments are
  /// variables only, so the variables must be inputs of the program.
  bool bits_of_floats = true;
};

/// Whether all targets must compute the same bits. Other operations are functions of C's math
/// library, which targets may round differently.
bool is_exact(const core::ScalarOpRow& row);

/// The largest difference between a target's function and the interpreter's: the sum of both
/// bounds.
Tolerance tolerance_of(const core::ScalarOpRow& row, core::ScalarType type, const Options& target);

/// Trees of exact operations, of a type.
rc::Gen<Tree> expressions(detail::ScalarType type, Grammar grammar);
/// Trees of exact operations, of any type.
rc::Gen<Tree> expressions(Grammar grammar);
/// One function that is not exact, applied to exact expressions.
rc::Gen<Tree> inexact_calls(Grammar grammar);

/// The term of a tree. `variable` returns the terms of its variables.
using Variables = std::function<detail::Term(detail::ScalarType, std::uint32_t number)>;
detail::Term build(const Tree& tree, const Variables& variable);

/// rc::check with a fixed seed, unless RC_PARAMS asks for another.
template <class Property>
bool check_random(const std::string& what, Property property) {
  setenv("RC_PARAMS", "seed=20250610 max_success=200", 0);
  return rc::check(what, property);
}

}  // namespace hasten::conformance
