// Which rows of an array a function reads, relative to the index for which it is evaluated.
#pragma once

#include "core/program.hpp"
#include "passes/shapes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace hasten::passes::fission {

/// Rows from i + `first` to i + `last`, where i is the outermost index. If the range wraps, rows
/// before the first row are rows before the end, and rows after the last are rows after the
/// beginning.
struct RowRange {
  std::int64_t first = 0, last = 0;
  bool wraps = false;

  /// Adds these rows.
  void include(const RowRange& other);
};

/// What values of a function are, relative to one of its parameters, an index of an axis of extent
/// `extent`. Sums with numbers, limits to the axis, remainders by its extent and reflections at its
/// ends are tracked; all else is unknown.
class RowReads {
 public:
  /// `host_values`: the number of the program's values that have symbols.
  RowReads(const core::Program& program, const Shapes& shapes, std::size_t host_values,
           Symbol extent)
      : program_(program),
        shapes_(shapes),
        host_values_(host_values),
        extent_(extent) {}

  /// Visits a function in which these parameters are indices of the axis.
  void walk(const core::Region& fn, const std::vector<core::Value>& indices);
  /// Nothing if it may be any row.
  [[nodiscard]] std::optional<RowRange> of(core::Value value) const;

 private:
  void visit(const core::Region& region);
  void visit(const core::Stmt& stmt);
  void visit(core::Value result, const core::Prim& prim);
  [[nodiscard]] std::optional<RowRange> value_of(const core::Prim& prim) const;
  [[nodiscard]] std::optional<RowRange> least_of(core::Value a, core::Value b) const;
  [[nodiscard]] std::optional<Symbol> symbol_of(core::Value value) const;
  [[nodiscard]] std::optional<std::int64_t> number(core::Value value) const;
  [[nodiscard]] std::optional<std::int64_t> beyond(core::Value value) const;
  [[nodiscard]] std::optional<std::int64_t> beyond_of(Symbol symbol) const;
  void note_reflection(core::Value result, const core::Prim& prim);
  [[nodiscard]] bool is_twice_last(core::Value value) const;
  [[nodiscard]] bool is_twice_last_symbol(Symbol symbol) const;
  [[nodiscard]] bool is_period(core::Value value) const;

  const core::Program& program_;
  const Shapes& shapes_;
  const std::size_t host_values_;
  const Symbol extent_;
  std::unordered_map<core::Value, RowRange> ranges_;
  // For the function at hand: constants, and values that exceed the extent by a known number.
  std::unordered_map<core::Value, std::int64_t> numbers_, beyond_;
  // A reflection is the smaller of a sum's remainder and the distance from that remainder to the
  // period; the period is twice the last index (1 at least).
  std::unordered_set<core::Value> twice_last_, periods_;
  std::unordered_map<core::Value, RowRange> remainders_;
  std::unordered_map<core::Value, core::Value> left_;  // distance to the period: its remainder
};

}  // namespace hasten::passes::fission
