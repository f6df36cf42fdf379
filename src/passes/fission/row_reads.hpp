// Which rows of an array a function reads, relative to the index that it is run at.
#pragma once

#include "core/program.hpp"
#include "passes/shapes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace hasten::passes::fission {

/// Rows from i + `first` to i + `last`, i being the outermost index.
struct RowRange {
  std::int64_t first = 0, last = 0;
};

/// What values of a function are, relative to a parameter of it, an index of an axis of extent
/// `extent`. Sums with numbers, and limits to the axis, are followed; all else is not known.
class RowReads {
 public:
  /// `host_values`: so many values of the program have symbols.
  RowReads(const core::Program& program, const Shapes& shapes, std::size_t host_values,
           Symbol extent)
      : program_(program),
        shapes_(shapes),
        host_values_(host_values),
        extent_(extent) {}

  /// Of a function, of which these parameters are indices of the axis.
  void walk(const core::Region& fn, const std::vector<core::Value>& indices);
  /// Nothing if it may be any row.
  [[nodiscard]] std::optional<RowRange> of(core::Value value) const;

 private:
  void visit(const core::Region& region);
  void visit(const core::Stmt& stmt);
  [[nodiscard]] std::optional<RowRange> value_of(const core::Prim& prim) const;
  [[nodiscard]] std::optional<Symbol> symbol_of(core::Value value) const;
  [[nodiscard]] std::optional<std::int64_t> number(core::Value value) const;
  [[nodiscard]] bool is_last_or_beyond(core::Value value) const;

  const core::Program& program_;
  const Shapes& shapes_;
  const std::size_t host_values_;
  const Symbol extent_;
  std::unordered_map<core::Value, RowRange> ranges_;
  // Of this function: constants, and what is the extent and so many more.
  std::unordered_map<core::Value, std::int64_t> numbers_, beyond_;
};

}  // namespace hasten::passes::fission
