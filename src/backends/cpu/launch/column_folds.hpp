// Folds few long columns in parts that are joined at the end.
#pragma once

#include "backends/cpu/functions.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace hasten::backends::cpu {

/// The partial results of a fold with lanes along the outer axis. Extents alone decide the parts,
/// because results depend on the grouping.
class ColumnFolds {
 public:
  /// For `rows` times as many columns; `lanes` of them are folded together.
  ColumnFolds(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t lanes,
              std::size_t leaves);

  /// The number of parts into which columns are cut; 1 where they are not cut.
  static std::int64_t parts_of(std::int64_t columns, std::int64_t depth);

  [[nodiscard]] std::int64_t parts() const { return parts_; }
  /// The part that `run` is to fold as number i.
  ColumnPart part(std::int64_t i);
  /// Joins the parts of each column, once all are computed.
  void finish(const KernelFunctions& functions, const std::uint64_t* frame) const;

 private:
  std::int64_t rows_, columns_, depth_, leaves_, parts_, pitch_;
  std::vector<std::uint64_t> words_;  // by part, leaf, row and column
};

}  // namespace hasten::backends::cpu
