// Simplifies scalar code: constant folding, the equations of simplify_table.cpp, common
// subexpressions, what both branches of a condition compute, loop invariants.
//
// before: x1 = const 0 : i64; x2 = add x0 x1; x3 = mul x2 x2; x4 = mul x2 x2
// after:  x3 = mul x0 x0                     (x4 is x3)
// needs:  no literal slots (bind_literals)
#pragma once

#include "core/program.hpp"
#include "passes/simplify/match.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

namespace hasten::passes {

/// Simplifies code in execution order. Values found equal to others are replaced in all code
/// simplified later; resolve() answers for the rest.
class ScalarSimplifier {
 public:
  /// `types` by value; grows when statements are added, here or elsewhere.
  explicit ScalarSimplifier(std::vector<core::ScalarType>& types,
                            const EquationIndex& equations = known_equations())
      : types_(types),
        equations_(equations),
        knowledge_(types) {}

  void run(core::Region& region) { run(region, nullptr); }
  /// Appends the simplified statement; nothing if its results are other values now.
  void run(core::Stmt stmt, std::vector<core::Stmt>& out);
  /// For indices and extents: integers from 0 on.
  void assume_not_negative(core::Value value) { knowledge_.note_not_negative(value); }

  /// What is simplified between mark() and restore(mark) is not visible afterwards: a scope.
  [[nodiscard]] std::size_t mark() const { return undo_.size(); }
  void restore(std::size_t mark);

  [[nodiscard]] core::Value resolve(core::Value value) const;
  /// The bits of a value known to be constant.
  [[nodiscard]] const core::Bits* constant(core::Value value) const {
    return knowledge_.constant(value);
  }
  /// The number of equations applied.
  [[nodiscard]] std::size_t applied() const { return applied_; }

 private:
  struct KeyHash {
    std::size_t operator()(const std::vector<std::uint32_t>& key) const;
  };
  using Key = std::vector<std::uint32_t>;
  using Code = std::vector<core::Stmt>;

  void run_body(core::Region& region, Code& out);
  void resolve_all(std::vector<core::Value>& values) const;
  void replace(core::Value from, core::Value to);
  core::Value new_value(core::ScalarType type);

  void define(core::Value result, core::Prim prim, unsigned fuel, Code& out);
  void define(core::Value result, const core::Bits& bits, Code& out);
  core::Value build(const Match& match, std::size_t node, core::ScalarType type, unsigned fuel,
                    Code& out);
  core::Prim replaced(const Match& match, core::ScalarType type, unsigned fuel, Code& out);
  void put_constants_last(core::Prim& prim) const;
  [[nodiscard]] std::optional<core::Bits> fold(core::Value result, const core::Prim& prim) const;

  void run_branch(core::Stmt stmt, Code& out);
  struct Sibling;
  void run_side(core::Region& side, core::Value condition, bool holds, Sibling* first = nullptr);
  void run_other_side(core::If& branch, Code& out);
  void run(core::Region& region, Sibling* first);
  void assume(core::Value condition, bool holds, std::vector<core::Value>& assumed);
  bool is_one_value(const core::If& branch, std::size_t i, core::Value result, Code& out);
  void run_loop(core::Stmt stmt, Code& out);
  void drop_fixed_state(core::Stmt& stmt, core::While& loop);
  bool is_element_known(const core::Stmt& stmt);
  void note_counters(const core::While& loop, const core::Stmt& stmt);

  /// The value of an earlier equal statement; else this one is known from now on.
  core::Value known_as(const core::Stmt& stmt);

  /// What the first branch of a condition computes in any case, while the other one is simplified.
  struct Sibling {
    Code& code;
    std::unordered_map<Key, std::size_t, KeyHash> places;  // in `code`
    std::vector<bool> in_both;                             // by place
  };
  core::Value computed_in_both(const Key& key, const core::Stmt& stmt);
  [[nodiscard]] std::optional<Key> key_of(const core::Stmt& stmt) const;

  std::vector<core::ScalarType>& types_;
  const EquationIndex& equations_;
  Knowledge knowledge_;
  std::size_t applied_ = 0;
  std::unordered_map<core::Value, core::Value> replacement_;
  std::unordered_map<Key, core::Value, KeyHash> known_;
  std::vector<Key> undo_;       // keys added, innermost region last
  Sibling* sibling_ = nullptr;  // of the region whose statements are simplified, not of inner ones
};

/// Every scalar function and host statement of the program.
core::Program simplify(core::Program program);

}  // namespace hasten::passes
