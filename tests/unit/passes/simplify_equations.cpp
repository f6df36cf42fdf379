// A row becomes code in every typing that it allows; the simplifier with this row only produces the
// other side; both run on edge cases and random numbers.
#include "tests/unit/passes/simplify_equations.hpp"

#include "core/evaluate.hpp"
#include "passes/simplify/simplify.hpp"
#include "tests/unit/core/builder.hpp"

#include <bit>
#include <cmath>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <vector>

namespace hasten::test {
namespace {

using passes::Equation;
using passes::Pattern;

constexpr std::size_t constants_tried = 150;  // choices of constants for a typing
constexpr std::size_t inputs_tried = 48;      // of other letters, where there are constants
constexpr std::size_t inputs_alone = 4000;    // where there are none

class NoArrays : public core::ArrayReader {
 public:
  Bits load(ArrayId, std::uint32_t, std::span<const std::int64_t>) override { return {}; }
  Bits load_linear(ArrayId, std::uint32_t, std::int64_t) override { return {}; }
  std::int64_t extent(ArrayId, std::uint32_t) override { return 0; }
};

// -- numbers --------------------------------------------------------------------------------------

// A valid bit pattern of the type, from any 64 bits.
Bits cut(ScalarType type, std::uint64_t word) {
  std::byte memory[16] = {};
  core::store_bits(type, {word, word * 0x9E3779B97F4A7C15U}, memory);
  return core::load_bits(type, memory);
}

Bits number_in(ScalarType type, double x) {
  const ScalarType f64 = ScalarType::f64;
  if (!detail::is_complex(type)) {
    const Bits bits = {std::bit_cast<std::uint64_t>(x), 0};
    return core::evaluate(ScalarOp::cast, type, {&f64, 1}, {&bits, 1});
  }
  const ScalarType part = detail::part_of(type);
  return {number_in(part, x).lo, number_in(part, -x).lo};
}

// The edge cases of integers and floats, and their neighbours.
std::vector<Bits> edges(ScalarType type) {
  std::vector<Bits> result;
  for (const double x : {0.0,
                         1.0,
                         2.0,
                         3.0,
                         4.0,
                         5.0,
                         7.0,
                         8.0,
                         10.0,
                         16.0,
                         31.0,
                         32.0,
                         63.0,
                         64.0,
                         100.0,
                         127.0,
                         128.0,
                         255.0,
                         0.5,
                         1.5,
                         2.5,
                         1e-3,
                         1e30,
                         1e308,
                         5e-324,
                         1e-40,
                         6e-8,
                         65504.0,
                         HUGE_VAL,
                         4294967295.0,
                         9223372036854775807.0})
    for (const double sign : {1.0, -1.0}) result.push_back(number_in(type, sign * x));
  if (detail::is_integral(type))
    for (unsigned bit = 0; bit < 64; ++bit) {
      const std::uint64_t power = std::uint64_t{1} << bit;
      for (const std::uint64_t x : {power, power - 1, power + 1, ~power, 0 - power})
        result.push_back(cut(type, x));
    }
  if (!detail::is_integral(type)) result.push_back(number_in(type, std::nan("")));
  return result;
}

class Numbers {
 public:
  Bits next(ScalarType type) {
    auto& known = edges_[static_cast<std::size_t>(type)];
    if (known.empty()) known = edges(type);
    if (random_() % 2 == 0) return known[random_() % known.size()];
    // Few bits set, or any bits.
    const std::uint64_t word = random_() % 2 ? random_() : random_() >> (random_() % 64);
    return cut(type, word);
  }
  std::uint64_t word() { return random_(); }

 private:
  std::mt19937_64 random_{20261122};
  std::vector<Bits> edges_[detail::scalar_type_count];
};

bool is_nan(ScalarType type, const Bits& bits) {
  return detail::is_floating(type) && std::isnan(core::to_double(type, bits));
}

bool same(ScalarType type, const Bits& a, const Bits& b) {
  if (detail::is_complex(type)) {
    const ScalarType part = detail::part_of(type);
    return same(part, {a.lo, 0}, {b.lo, 0}) && same(part, {a.hi, 0}, {b.hi, 0});
  }
  return a == b || (is_nan(type, a) && is_nan(type, b));
}

// -- typings --------------------------------------------------------------------------------------

// A type for each letter, and for each result whose type its operands do not determine:
// conversions, and selections between literals.
struct Typing {
  std::array<ScalarType, Equation::letters_max> letters{};
  std::array<ScalarType, Pattern::nodes_max> conversions{};
};

class Instance {
 public:
  Instance(const Equation& equation, const Typing& typing) : equation_(equation), typing_(typing) {}

  // The type that a node has by itself; literals have none.
  [[nodiscard]] std::optional<ScalarType> own_type(std::size_t index) const {
    const Pattern::Node& node = equation_.from.nodes[index];
    if (node.kind == Pattern::Kind::number) return std::nullopt;
    if (node.kind == Pattern::Kind::variable) return typing_.letters[node.letter];
    switch (core::row(node.op).signature) {
      case core::Signature::predicate: return ScalarType::boolean;
      case core::Signature::count: return ScalarType::i32;
      case core::Signature::convert: return typing_.conversions[index];
      case core::Signature::choice: {
        for (const std::size_t side : {1, 2})
          if (const auto type = own_type(node.args[side])) return type;
        return typing_.conversions[index];
      }
      default: break;
    }
    for (std::size_t i = 0; i < core::row(node.op).arity; ++i)
      if (const auto type = own_type(node.args[i]))
        return core::result_type(node.op, std::array{*type, *type, *type});
    return std::nullopt;
  }

  [[nodiscard]] ScalarType operand_type(std::size_t index, std::size_t operand) const {
    const Pattern::Node& node = equation_.from.nodes[index];
    std::array<std::optional<ScalarType>, 3> own{};
    for (std::size_t i = 0; i < core::row(node.op).arity; ++i) own[i] = own_type(node.args[i]);
    return passes::operand_type(node.op, operand, own_type(index).value(), own);
  }

  [[nodiscard]] bool is_well_typed() const {
    for (std::size_t i = 0; i < equation_.from.count; ++i) {
      const Pattern::Node& node = equation_.from.nodes[i];
      if (node.kind != Pattern::Kind::operation) continue;
      std::vector<ScalarType> args;
      for (std::size_t k = 0; k < core::row(node.op).arity; ++k) args.push_back(operand_type(i, k));
      if (!core::type_error(node.op, own_type(i).value(), args).empty()) return false;
    }
    return true;
  }

  // The pattern as code; letters that are constants have these bits.
  Region code(core::Program& program, const std::array<Bits, Equation::letters_max>& constants,
              std::array<Value, Equation::letters_max>& letters) const {
    CodeBuilder code(program);
    letters.fill(core::none);
    for (std::size_t i = 0; i < letters.size() && equation_.letters[i] != '\0'; ++i)
      letters[i] = Equation::is_constant(equation_.letters[i])
                       ? code.add(typing_.letters[i], core::Constant{constants[i], core::none})
                       : code.param(typing_.letters[i]);
    const Value result = emit(code, 0, own_type(0).value(), letters);
    return code.end({result});
  }

 private:
  Value emit(CodeBuilder& code, std::size_t index, ScalarType type,
             const std::array<Value, Equation::letters_max>& letters) const {
    const Pattern::Node& node = equation_.from.nodes[index];
    if (node.kind == Pattern::Kind::variable) return letters[node.letter];
    if (node.kind == Pattern::Kind::number)
      return code.add(type, core::Constant{passes::bits_of(node, type), core::none});
    core::Prim prim{node.op, {}};
    for (std::size_t i = 0; i < core::row(node.op).arity; ++i)
      prim.args.push_back(emit(code, node.args[i], operand_type(index, i), letters));
    return code.add(type, std::move(prim));
  }

  const Equation& equation_;
  const Typing& typing_;
};

// -- both sides -----------------------------------------------------------------------------------

class Examiner {
 public:
  explicit Examiner(const Equation& equation)
      : equation_(equation),
        table_{&equation},
        index_(table_) {
    for (const char letter : equation.letters) has_constants_ |= Equation::is_constant(letter);
  }

  std::string run() {
    Typing typing;
    every_typing(typing, 0);
    if (!fault_.empty()) return fault_;
    for (std::size_t t = 0; t < detail::scalar_type_count; ++t)
      if (passes::types::contains(equation_.types, static_cast<ScalarType>(t)) &&
          !applied_.contains(static_cast<ScalarType>(t)))
        return name() + " never applies to " + detail::name_of(static_cast<ScalarType>(t));
    return {};
  }

 private:
  [[nodiscard]] std::string name() const {
    return std::string(equation_.left) + " = " + std::string(equation_.right);
  }

  // Iterates over letters first, then over conversions inside the pattern and at its root.
  void every_typing(Typing& typing, std::size_t place) {
    if (!fault_.empty()) return;
    const bool is_letter = place < Equation::letters_max;
    if (place == Equation::letters_max + equation_.from.count) {
      if (Instance(equation_, typing).is_well_typed()) examine(typing);
      return;
    }
    const std::size_t node = place - Equation::letters_max;
    const bool is_typed =
        is_letter ? equation_.letters[place] != '\0' : is_conversion(equation_.from.nodes[node]);
    if (!is_typed) return every_typing(typing, place + 1);
    for (std::size_t t = 0; t < detail::scalar_type_count; ++t) {
      (is_letter ? typing.letters[place] : typing.conversions[node]) = static_cast<ScalarType>(t);
      every_typing(typing, place + 1);
    }
  }

  [[nodiscard]] bool is_conversion(const Pattern::Node& node) const {
    if (node.kind != Pattern::Kind::operation) return false;
    const auto is_number = [&](std::size_t operand) {
      return equation_.from.nodes[node.args[operand]].kind == Pattern::Kind::number;
    };
    const core::Signature signature = core::row(node.op).signature;
    return signature == core::Signature::convert ||
           (signature == core::Signature::choice && is_number(1) && is_number(2));
  }

  void examine(const Typing& typing) {
    const ScalarType x = typing.letters[equation_.index_of('x')];
    if (!passes::types::contains(equation_.types, x)) return;
    const std::size_t choices = has_constants_ ? constants_tried : 1;
    for (std::size_t i = 0; i < choices && fault_.empty(); ++i) {
      std::array<Bits, Equation::letters_max> constants;
      for (std::size_t k = 0; k < constants.size(); ++k)
        constants[k] = numbers_.next(typing.letters[k]);
      // Conditions often require powers of two and small numbers.
      if (i % 3 == 0)
        for (std::size_t k = 0; k < constants.size(); ++k)
          if (detail::is_integral(typing.letters[k]))
            constants[k] = cut(typing.letters[k], std::uint64_t{1} << (numbers_.word() % 8));
      if (compare(typing, constants)) applied_.insert(x);
    }
  }

  // Returns false if the equation does not apply.
  bool compare(const Typing& typing, const std::array<Bits, Equation::letters_max>& constants) {
    core::Program program;
    std::array<Value, Equation::letters_max> letters{};
    const Instance instance(equation_, typing);
    const Region left = instance.code(program, constants, letters);
    Region right = left;
    passes::ScalarSimplifier simplifier(program.value_types, index_);
    const bool facts = equation_.fact == passes::Fact::not_negative ||
                       equation_.fact == passes::Fact::none_negative;
    if (facts)
      for (const Value v : left.params) simplifier.assume_not_negative(v);
    simplifier.run(right);
    if (simplifier.applied() == 0) return false;
    if (!is_well_typed(program, left, right)) {
      fault_ = name() + " is not well typed";
      return true;
    }
    NoArrays none;
    std::vector<Bits> values(program.value_types.size());
    core::Evaluator evaluator(program.value_types, values, none);
    for (std::size_t i = 0; i < (has_constants_ ? inputs_tried : inputs_alone); ++i) {
      for (const Value v : left.params) {
        values[v] = numbers_.next(program.value_types[v]);
        if (facts && static_cast<std::int64_t>(values[v].lo) < 0 &&
            detail::is_signed_int(program.value_types[v]))
          values[v] = cut(program.value_types[v], ~values[v].lo);
      }
      evaluator.run(left);
      const Bits expected = values[left.results[0]];
      evaluator.run(right);
      const ScalarType type = program.value_types[left.results[0]];
      if (!same(type, expected, values[right.results[0]])) {
        fault_ = describe(program, letters, values, type, expected, values[right.results[0]]);
        return true;
      }
    }
    return true;
  }

  static bool is_well_typed(const core::Program& program, const Region& left, const Region& right) {
    const auto type = [&](Value v) { return program.value_types[v]; };
    for (const core::Stmt& stmt : right.body) {
      const auto* prim = std::get_if<core::Prim>(&stmt.op);
      std::vector<ScalarType> args;
      if (prim)
        for (const Value v : prim->args) args.push_back(type(v));
      if (prim && !core::type_error(prim->op, type(stmt.results[0]), args).empty()) return false;
    }
    return type(left.results[0]) == type(right.results[0]);
  }

  [[nodiscard]] std::string describe(const core::Program& program,
                                     const std::array<Value, Equation::letters_max>& letters,
                                     const std::vector<Bits>& values, ScalarType type,
                                     const Bits& expected, const Bits& got) const {
    const auto text = [](ScalarType t, const Bits& b) {
      return std::to_string(b.lo) + ":" + std::to_string(b.hi) + " " + detail::name_of(t);
    };
    std::string result = name() + " is wrong:";
    for (std::size_t i = 0; i < letters.size(); ++i)
      if (letters[i] != core::none)
        result += std::string(" ") + equation_.letters[i] + " = " +
                  text(program.value_types[letters[i]], values[letters[i]]);
    return result + ": " + text(type, expected) + " but " + text(type, got);
  }

  const Equation& equation_;
  std::array<const Equation*, 1> table_;
  passes::EquationIndex index_;
  bool has_constants_ = false;
  Numbers numbers_;
  std::set<ScalarType> applied_;
  std::string fault_;
};

}  // namespace

std::string fault_of(const Equation& equation) { return Examiner(equation).run(); }

}  // namespace hasten::test
