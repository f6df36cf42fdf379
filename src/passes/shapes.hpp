// Symbolic extents: which axes of which arrays have the same extent, whatever the sizes.
//
// in:  a core program
// out: a symbol for each axis of each array. Equal symbols are equal numbers whenever the arrays
//      exist; what a condition demands (equal extents of operators' operands) holds from the
//      operation on that checks it, in its block and the blocks inside it
//
// Symbols are numbers of expressions over extents of arguments, kept once each, so that finding out
// whether two spaces are one is a comparison. The extents of a loop's state are those that it
// begins with where every round keeps them.
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

/// A number that is the same wherever the symbol stands.
using Symbol = std::uint32_t;

class Shapes {
 public:
  /// Linear in the program, but for loops whose rounds change extents: once more for each that
  /// does.
  explicit Shapes(const core::Program& program);

  /// By axis, outermost first.
  [[nodiscard]] std::span<const Symbol> of(core::ArrayId array) const { return extents_[array]; }

  /// Whether two arrays have the same extents, as known where the binding of `at` stands.
  [[nodiscard]] bool same_space(core::ArrayId a, core::ArrayId b, core::ArrayId at) const;
  /// The same for symbols.
  [[nodiscard]] bool same(std::span<const Symbol> a, std::span<const Symbol> b,
                          core::ArrayId at) const;
  /// Whether a symbol is the product of some, in this order, as known there.
  [[nodiscard]] bool is_product(Symbol symbol, std::span<const Symbol> factors,
                                core::ArrayId at) const;

  /// The symbol of a host value that extents or their like are made of.
  [[nodiscard]] std::optional<Symbol> of_host(core::Value value) const;
  /// The one that stands for all that are equal, as known where the binding of `at` stands.
  [[nodiscard]] Symbol known(Symbol symbol, core::ArrayId at) const {
    return find(symbol, places_[at]);
  }
  [[nodiscard]] std::optional<std::int64_t> number(Symbol symbol) const;
  [[nodiscard]] bool is_never_negative(Symbol symbol) const { return not_negative_[symbol]; }
  /// What it is at most: of a vector in memory no more than there are addresses.
  [[nodiscard]] std::int64_t greatest(Symbol symbol) const;
  /// Null of a symbol that is a number, an extent of an argument, or opaque.
  struct Expression {
    core::ScalarOp op;
    Symbol a, b;
  };
  [[nodiscard]] const Expression* expression(Symbol symbol) const;

 private:
  using Key = std::tuple<core::ScalarOp, Symbol, Symbol>;
  static constexpr Symbol unknown = core::none;

  // What is known in a block, beside what is known around it.
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
