// Symbolic extents: which axes of which arrays have the same extent, whatever the sizes.
//
// in:  a core program
// out: a symbol for each axis of each array. Equal symbols are equal numbers whenever the arrays
//      exist; a condition (equal extents of operators' operands) holds from the operation that
//      checks it onwards, in its block and the blocks inside it
//
// Symbols number expressions over extents of arguments, each kept once, so that comparing two
// spaces is a comparison of numbers. The state of a loop keeps its initial extents where every
// round preserves them.
#pragma once

#include "core/program.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace hasten::passes {

/// A number that is the same wherever the symbol occurs.
using Symbol = std::uint32_t;

class Shapes {
 public:
  /// Linear in the program, except for loops whose rounds change extents: one more walk each.
  explicit Shapes(const core::Program& program);

  /// By axis, outermost first.
  [[nodiscard]] std::span<const Symbol> of(core::ArrayId array) const { return extents_[array]; }

  /// Whether two arrays have the same extents, as far as known at the binding of `at`.
  [[nodiscard]] bool same_space(core::ArrayId a, core::ArrayId b, core::ArrayId at) const;
  /// The same for symbols.
  [[nodiscard]] bool same(std::span<const Symbol> a, std::span<const Symbol> b,
                          core::ArrayId at) const;
  /// Whether a symbol is the product of these factors, in this order, as far as known at `at`.
  [[nodiscard]] bool is_product(Symbol symbol, std::span<const Symbol> factors,
                                core::ArrayId at) const;

  /// The symbol of a host value from which extents and the like are computed.
  [[nodiscard]] std::optional<Symbol> of_host(core::Value value) const;
  /// The representative of all equal symbols, as far as known at the binding of `at`.
  [[nodiscard]] Symbol known(Symbol symbol, core::ArrayId at) const {
    return find(symbol, places_[at]);
  }
  [[nodiscard]] std::optional<std::int64_t> number(Symbol symbol) const;
  [[nodiscard]] bool is_never_negative(Symbol symbol) const { return not_negative_[symbol]; }
  /// Its upper bound: a vector in memory has no more elements than there are addresses.
  [[nodiscard]] std::int64_t greatest(Symbol symbol) const;
  /// Null for a symbol that is a number, an extent of an argument, or opaque.
  struct Expression {
    core::ScalarOp op;
    Symbol a, b;
  };
  [[nodiscard]] const Expression* expression(Symbol symbol) const;

 private:
  using Key = std::tuple<core::ScalarOp, Symbol, Symbol>;
  static constexpr Symbol unknown = core::none;

  // The facts known in a block, in addition to those of the enclosing blocks.
  struct Scope {
    std::uint32_t outer;
    struct Fact {
      Symbol equal;
      std::uint32_t since;  // a place
    };
    std::unordered_map<Symbol, Fact> facts;
  };
  // Places number bindings in program order.
  struct Place {
    std::uint32_t scope = core::none, number = 0;
  };

  Symbol opaque(bool not_negative);
  Symbol constant(std::int64_t value);
  Symbol prim(core::ScalarOp op, Symbol a, Symbol b);
  Symbol folded(core::ScalarOp op, Symbol a, Symbol b);
  Symbol clamped(Symbol extent);
  Symbol of_value(core::Value value);
  [[nodiscard]] Symbol find(Symbol symbol, Place at) const;
  void equate(Symbol a, Symbol b);

  void block(const core::Block& block);
  void scalar(const core::Stmt& stmt);
  void branch(const core::Binding& binding, const core::ArrayIf& op);
  void loop(const core::Binding& binding, const core::ArrayWhile& op);
  std::vector<Symbol> extents_of(const core::Binding& binding, core::ArrayId result);
  std::vector<Symbol> intersection(std::span<const core::ArrayId> sources);
  void equate_all(std::span<const core::ArrayId> arrays);
  std::vector<Symbol> clamped(std::span<const core::Value> extents);

  const core::Program& program_;
  std::vector<std::vector<Symbol>> extents_;  // by ArrayId
  std::vector<Symbol> values_;                // by Value
  std::vector<bool> not_negative_;            // by Symbol
  std::unordered_set<Symbol> of_vectors_;     // extents of arguments of rank 1
  std::map<Key, Symbol> expressions_;
  std::unordered_map<Symbol, Expression> expression_of_;
  std::unordered_map<std::int64_t, Symbol> constants_;
  std::unordered_map<Symbol, std::int64_t> numbers_;  // of constants
  std::unordered_map<const core::Block*, std::uint32_t> scope_of_;
  std::vector<Scope> scopes_;
  std::vector<Place> places_;                                          // by ArrayId
  std::map<std::pair<const core::Block*, std::size_t>, bool> varies_;  // states of loops
  Place here_;
};

}  // namespace hasten::passes
