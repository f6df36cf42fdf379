// Hoists what is the same in every round of a loop.
//
// before: while (i = x0) { lt i x1 } { x2 = mul x1 x1; x3 = add i x2; -> x3 }
// after:  x2 = mul x1 x1; while (i = x0) { lt i x1 } { x3 = add i x2; -> x3 }
// why:    code generators hoist neither calls of math functions nor reads of arrays
// needs:  nothing; the simplifier then shares equal code outside the loop
#pragma once

#include "core/program.hpp"
#include "core/traverse.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

namespace hasten::passes {

/// Processes all loops of a region, inner ones first. Statements of a condition always leave the
/// loop, because it is evaluated at least once; those of a body if they are cheap and total, or if
/// the first round is certain.
class InvariantHoister {
 public:
  /// `types` by value; may grow between runs. One hoister serves all regions of a program.
  explicit InvariantHoister(const std::vector<core::ScalarType>& types) : types_(types) {}

  void run(core::Region& region) { run(region, 0); }

 private:
  using Code = std::vector<core::Stmt>;

  void run(core::Region& region, unsigned level);
  void run(core::While& loop, unsigned level, Code& out);
  void take(core::Region& region, unsigned level, bool is_certain, Code& out);
  [[nodiscard]] bool is_outside(const core::Stmt& stmt, unsigned level) const;
  [[nodiscard]] bool may_leave(const core::Stmt& stmt, bool is_certain) const;
  [[nodiscard]] bool begins(const core::While& loop) const;
  [[nodiscard]] std::optional<core::Bits> value_of(
      const core::Prim& prim, core::Value result,
      core::FunctionRef<const core::Bits*(core::Value)> number) const;
  [[nodiscard]] unsigned level(core::Value v) const { return v < level_.size() ? level_[v] : 0; }
  void set_level(const std::vector<core::Value>& values, unsigned level);

  const std::vector<core::ScalarType>& types_;
  std::vector<unsigned> level_;  // of the loops around a value's definition
  std::unordered_map<core::Value, core::Bits> constants_;
};

}  // namespace hasten::passes
