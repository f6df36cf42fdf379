// An equation of scalar code as data: a pattern, its replacement, and conditions.
//
// Both sides are written in the operations of the text form: "(sub (add x y) y)". The letters c and
// d are constants, all others any value; a letter that occurs twice is one value. A number has the
// type of its position: 0, -1 (all bits of a bool or unsigned number), or -0, the floats' own zero.
// A side that does not parse, or uses a letter that the pattern lacks, does not compile.
#pragma once

#include "core/scalar_ops.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace hasten::passes {

/// One side of an equation. Nodes in prefix order: the root is the first.
struct Pattern {
  enum class Kind : std::uint8_t { variable, number, operation };
  struct Node {
    Kind kind = Kind::number;
    core::ScalarOp op{};
    std::uint8_t letter = 0;     // index into the equation's letters
    bool negative_zero = false;  // for numbers
    std::int16_t number = 0;
    std::array<std::uint8_t, 3> args{};
    std::uint8_t swap = 0;  // for commutative operations: a bit of its own, else 0
  };
  static constexpr std::size_t nodes_max = 24;
  std::array<Node, nodes_max> nodes{};
  std::uint8_t count = 0;
  std::uint8_t swaps = 0;  // commutative operations
};

/// Sets of element types.
using TypeSet = std::uint16_t;
namespace types {
constexpr TypeSet of(core::ScalarType type) {
  return static_cast<TypeSet>(1U << static_cast<unsigned>(type));
}
constexpr TypeSet satisfying(bool (*holds)(core::ScalarType)) {
  TypeSet set = 0;
  for (unsigned t = 0; t < detail::scalar_type_count; ++t)
    if (holds(static_cast<core::ScalarType>(t))) set |= static_cast<TypeSet>(1U << t);
  return set;
}
inline constexpr TypeSet boolean = of(core::ScalarType::boolean),
                         signed_ints = satisfying(detail::is_signed_int),
                         unsigned_ints = satisfying(detail::is_unsigned_int),
                         integers = signed_ints | unsigned_ints,
                         floats = satisfying(detail::is_floating),
                         wide_floats = of(core::ScalarType::f32) | of(core::ScalarType::f64),
                         complex = satisfying(detail::is_complex), bits = boolean | integers,
                         numbers = integers | floats, real = bits | floats, any = real | complex;
constexpr bool contains(TypeSet set, core::ScalarType type) { return (set & of(type)) != 0; }
}  // namespace types

/// A condition on the types of x, of the pattern's inner operation, and of the result.
enum class Relation : std::uint8_t {
  unrelated,
  same,           // x has the result's type
  composes,       // x -> inner -> result converts as x -> result does
  keeps_bits,     // x -> inner loses no bit
  loses_nothing,  // each number x is exact in the inner type, and y has x's type
  same_amounts,   // c and d have one type
};

/// A condition on values.
enum class Fact : std::uint8_t {
  unknown,
  not_negative,      // x >= 0
  none_negative,     // x >= 0 and y >= 0
  exact_reciprocal,  // c is a power of two or its negative, and 1 / c is a normal number
};

struct Equation {
  TypeSet types;  // of x
  Pattern from, to;
  Pattern when;  // on constants: a bool; empty: always
  Relation relation;
  Fact fact;
  std::string_view left, right;  // as written
  static constexpr std::size_t letters_max = 6;
  std::array<char, letters_max> letters{};

  struct Conditions {
    std::string_view when = {};
    Relation relation = Relation::unrelated;
    Fact fact = Fact::unknown;
  };
  consteval Equation(TypeSet x, std::string_view pattern, std::string_view replacement,
                     Conditions conditions)
      : types(x),
        relation(conditions.relation),
        fact(conditions.fact),
        left(pattern),
        right(replacement) {
    parse(from, pattern, true);
    parse(to, replacement, false);
    if (!conditions.when.empty()) parse(when, conditions.when, false);
  }
  consteval Equation(TypeSet x, std::string_view pattern, std::string_view replacement)
      : Equation(x, pattern, replacement, Conditions{}) {}

  static constexpr bool is_constant(char letter) { return letter == 'c' || letter == 'd'; }
  [[nodiscard]] constexpr bool is_constant(const Pattern::Node& node) const {
    return node.kind == Pattern::Kind::variable && is_constant(letters[node.letter]);
  }
  /// The index of a letter, or letters_max.
  [[nodiscard]] constexpr std::size_t index_of(char letter) const {
    std::size_t i = 0;
    while (i < letters_max && letters[i] != letter) ++i;
    return i;
  }

 private:
  struct Cursor {
    std::string_view text;
    consteval void skip() {
      while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
    }
    consteval bool take(char c) {
      skip();
      if (text.empty() || text[0] != c) return false;
      text.remove_prefix(1);
      return true;
    }
    consteval std::string_view word() {
      skip();
      std::size_t size = 0;
      while (size < text.size() && text[size] != ' ' && text[size] != '(' && text[size] != ')')
        ++size;
      const std::string_view result = text.substr(0, size);
      text.remove_prefix(size);
      return result;
    }
  };

  consteval void parse(Pattern& pattern, std::string_view text, bool defines) {
    Cursor cursor{text};
    node(pattern, cursor, defines);
    cursor.skip();
    if (!cursor.text.empty()) throw "text after the end";
  }

  consteval std::uint8_t node(Pattern& pattern, Cursor& cursor, bool defines) {
    const std::uint8_t index = pattern.count++;
    Pattern::Node& result = pattern.nodes[index];
    if (!cursor.take('(')) {
      leaf(result, cursor.word(), defines);
      return index;
    }
    const std::string_view name = cursor.word();
    const core::ScalarOpRow* row = nullptr;
    for (const core::ScalarOpRow& r : core::scalar_ops())
      if (name == r.name) row = &r;
    if (!row) throw "no such operation";
    result.kind = Pattern::Kind::operation;
    result.op = row->op;
    if (row->commutative) result.swap = static_cast<std::uint8_t>(1U << pattern.swaps++);
    for (std::size_t i = 0; i < row->arity; ++i) result.args[i] = node(pattern, cursor, defines);
    if (!cursor.take(')')) throw "a parenthesis is missing";
    return index;
  }

  consteval void leaf(Pattern::Node& result, std::string_view word, bool defines) {
    if (word.empty()) throw "an operand is missing";
    if (word.size() == 1 && word[0] >= 'a' && word[0] <= 'z') {
      result.kind = Pattern::Kind::variable;
      result.letter = static_cast<std::uint8_t>(index_of(word[0]));
      if (result.letter < letters_max) return;
      if (!defines) throw "a letter that the pattern has not";
      result.letter = static_cast<std::uint8_t>(index_of('\0'));
      letters.at(result.letter) = word[0];
      return;
    }
    const bool negative = word[0] == '-';
    if (negative) word.remove_prefix(1);
    for (const char digit : word) {
      if (digit < '0' || digit > '9') throw "no number";
      result.number = static_cast<std::int16_t>(10 * result.number + (digit - '0'));
    }
    result.negative_zero = negative && result.number == 0;
    if (negative) result.number = static_cast<std::int16_t>(-result.number);
  }
};

}  // namespace hasten::passes
