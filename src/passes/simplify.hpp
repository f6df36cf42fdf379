// Constant folding, exact algebraic identities and common subexpressions, on scalar code.
//
// before: x1 = const 0 : i64; x2 = add x0 x1; x3 = mul x2 x2; x4 = mul x2 x2
// after:  x3 = mul x0 x0                     (x4 is x3)
// needs:  no literal slots (bind_literals)
#pragma once

#include "core/program.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

namespace hasten::passes {

/// Simplifies code in the order it would run. Values that turn out to be others are replaced in
/// everything simplified later; ask resolve() for the rest.
class ScalarSimplifier {
 public:
  /// `types` by value, grows when statements are added.
  explicit ScalarSimplifier(std::vector<core::ScalarType>& types) : types_(types) {}

  void run(core::Region& region);
  /// False when the statement is to be dropped: its results are other values now.
  bool run(core::Stmt& stmt);

  /// What is simplified between mark() and restore(mark) is not seen afterwards: a scope.
  [[nodiscard]] std::size_t mark() const { return undo_.size(); }
  void restore(std::size_t mark);

  [[nodiscard]] core::Value resolve(core::Value value) const;
  /// The bits of a value known to be constant.
  [[nodiscard]] const core::Bits* constant(core::Value value) const;

 private:
  struct KeyHash {
    std::size_t operator()(const std::vector<std::uint32_t>& key) const;
  };
  using Key = std::vector<std::uint32_t>;

  void run_body(core::Region& region);
  void resolve_all(std::vector<core::Value>& values) const;
  void resolve_operands(core::Stmt& stmt) const;
  bool fold(core::Stmt& stmt);
  std::optional<core::Value> identity(const core::Prim& prim) const;
  void put_constants_last(core::Prim& prim) const;
  bool find_equal(core::Stmt& stmt);
  std::optional<Key> key_of(const core::Stmt& stmt) const;
  void replace(core::Value from, core::Value to);
  [[nodiscard]] bool is_number(core::Value value, double number) const;

  std::vector<core::ScalarType>& types_;
  std::unordered_map<core::Value, core::Value> replacement_;
  std::unordered_map<core::Value, core::Bits> constants_;
  std::unordered_map<Key, core::Value, KeyHash> known_;
  std::vector<Key> undo_;  // keys added, innermost region last
};

/// Every scalar function and host statement of the program.
core::Program simplify(core::Program program);

}  // namespace hasten::passes
