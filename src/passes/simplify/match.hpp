// Finds the equation that applies to an operation.
#pragma once

#include "passes/simplify/table.hpp"

#include <array>
#include <optional>
#include <vector>

namespace hasten::passes {

/// An operation that defines a value.
struct Operation {
  core::ScalarOp op{};
  std::uint8_t arity = 0;  // 0: none
  std::array<core::Value, 3> args{};

  Operation() = default;
  explicit Operation(const core::Prim& prim);
};

/// What is known of values, by number.
class Knowledge {
 public:
  explicit Knowledge(const std::vector<core::ScalarType>& types) : types_(types) {}

  [[nodiscard]] core::ScalarType type(core::Value v) const { return types_[v]; }
  [[nodiscard]] const core::Bits* constant(core::Value v) const {
    const Entry* entry = find(v);
    return entry && entry->is_constant ? &entry->bits : nullptr;
  }
  /// The operation that defines the value, or null.
  [[nodiscard]] const Operation* operation(core::Value v) const {
    const Entry* entry = find(v);
    return entry && entry->operation.arity > 0 ? &entry->operation : nullptr;
  }
  /// Whether it is a bool, or an integer that is 0 or more.
  [[nodiscard]] bool not_negative(core::Value v) const;

  void note(core::Value v, const core::Bits& bits);
  void note(core::Value v, const Operation& operation);
  void note_not_negative(core::Value v) { entry(v).not_negative = true; }
  void forget_constant(core::Value v) { entry(v).is_constant = false; }

 private:
  struct Entry {
    Operation operation;
    core::Bits bits;
    bool is_constant = false, not_negative = false;
  };
  [[nodiscard]] const Entry* find(core::Value v) const {
    return v < entries_.size() ? &entries_[v] : nullptr;
  }
  Entry& entry(core::Value v);
  [[nodiscard]] bool gives_not_negative(core::Value v, const Operation& operation) const;

  const std::vector<core::ScalarType>& types_;
  std::vector<Entry> entries_;
};

/// An equation, and the values bound to its letters.
class Match {
 public:
  /// The first equation of the index that applies to an operation with a result of this type.
  static std::optional<Match> find(const EquationIndex& index, const Knowledge& knowledge,
                                   const Operation& operation, core::ScalarType result);

  [[nodiscard]] const Equation& equation() const { return *equation_; }
  [[nodiscard]] core::Value value(const Pattern::Node& variable) const {
    return values_[variable.letter];
  }
  /// The type of an operand, where `whole` is that of the operation itself.
  [[nodiscard]] core::ScalarType operand_type(const Pattern& pattern, std::size_t operation,
                                              std::size_t operand, core::ScalarType whole) const;
  /// The value of a node that consists only of constants.
  [[nodiscard]] std::optional<core::Bits> constant(const Pattern& pattern, std::size_t node,
                                                   core::ScalarType type) const;

 private:
  Match(const Equation& equation, const Knowledge& knowledge)
      : equation_(&equation),
        knowledge_(&knowledge) {}

  bool applies(const Operation& operation, core::ScalarType result);
  bool matches(const Operation& operation, const Pattern::Node& node, unsigned swaps);
  bool matches(core::Value value, const Pattern::Node& node, unsigned swaps);
  [[nodiscard]] bool related(core::ScalarType result) const;
  [[nodiscard]] bool known() const;
  [[nodiscard]] bool bound(char letter) const;
  [[nodiscard]] core::Value letter(char name) const { return values_[equation_->index_of(name)]; }
  [[nodiscard]] std::optional<core::ScalarType> own_type(const Pattern& pattern,
                                                         std::size_t node) const;

  const Equation* equation_;
  const Knowledge* knowledge_;
  std::array<core::Value, Equation::letters_max> values_{};
  core::ScalarType inner_{};  // of the pattern's last inner conversion
};

/// The bits of a pattern's number in a type.
[[nodiscard]] core::Bits bits_of(const Pattern::Node& number, core::ScalarType type);

/// The type of an operand, derived from the type of the whole and from the types that the operands
/// have by themselves (`own`, by operand; nullopt for numbers).
[[nodiscard]] core::ScalarType operand_type(
    core::ScalarOp op, std::size_t operand, core::ScalarType whole,
    const std::array<std::optional<core::ScalarType>, 3>& own);

/// Whether converting to the other type and back preserves every number.
[[nodiscard]] bool loses_nothing(core::ScalarType from, core::ScalarType to);

}  // namespace hasten::passes
