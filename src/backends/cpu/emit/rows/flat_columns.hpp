// Columns that are folded as they lie in memory. Where elements use their row and column only as
// the place that they read, vectors along memory need not be taken apart: lane l of a row's k-th
// vector always has the same column, and folds are taken apart once, at the end.
#pragma once

#include "backends/cpu/emit/code.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <vector>

namespace hasten::backends::cpu {

class FlatColumns {
 public:
  /// As for KnownRows: lanes go down the last axis of the element's region, at lane_level, and
  /// across the `columns` columns of the axis before it, a level below.
  FlatColumns(const KernelModule& module, LaneCode& code, const kernels::Region& element);

  /// Emits the element's code below lane_level for as many vectors along memory as there are
  /// columns, the first of which begins with the first column of the step that is set; all lanes
  /// are on. `then` is called once a vector's values have been emitted. False, with nothing of use
  /// emitted, if the element is of another kind.
  bool each_vector(llvm::function_ref<void(std::int64_t vector)> then);

 private:
  void look_at(const KernelModule& module, const core::Stmt& stmt);
  [[nodiscard]] bool is_indexed(const core::Stmt& stmt) const;

  LaneCode& code_;
  const kernels::Region& element_;
  const std::int64_t columns_;
  bool is_flat_ = true;
  std::vector<bool> indexed_;                        // by value: depends on row or column
  std::vector<const core::Stmt*> indices_, others_;  // of levels below lane_level
  std::vector<const core::LoadLinear*> reads_;
};

}  // namespace hasten::backends::cpu
