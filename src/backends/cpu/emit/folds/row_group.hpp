// Rows that are folded by lanes along them, in groups: the registers that the rows of a group leave
// are joined by one tree, whose result has a lane for each row. Row by row, a tree of its own and
// scalar code after it may take longer than the row.
#pragma once

#include "backends/cpu/emit/loops.hpp"

namespace hasten::backends::cpu {

/// A group has as many rows as registers have lanes. The tree is that of `lanes_combined`, so that
/// a row has the same bits in a group as by itself.
class RowGroup {
 public:
  /// Keeps the registers on the function's stack.
  explicit RowGroup(LaneCode& code);

  /// What the lanes of a row hold, for each leaf of the fold.
  void keep(llvm::Value* row, const Values& leaves);
  /// The folds of all rows; anything for rows that were not kept.
  Values joined();
  /// Folds with the seed on the left if there is one, applies the epilogue, and stores the results
  /// of rows from `first` on under the current mask. `index`: those of the axes before the last
  /// outer one; `place`: among all results.
  void store(const Values& index, llvm::Value* first, llvm::Value* place, const Values& folds);

 private:
  llvm::Value* slot(std::size_t leaf, llvm::Value* row);

  LaneCode& code_;
  std::vector<llvm::AllocaInst*> slots_;  // for each leaf
};

}  // namespace hasten::backends::cpu
