// Rows of a few elements, whose number the code knows: lanes go across rows, the columns are
// unrolled, and whole rows are loaded and stored as vectors that shuffles take apart and put
// together.
#pragma once

#include "backends/cpu/emit/code.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <map>
#include <vector>

namespace hasten::backends::cpu {

class KnownRows {
 public:
  /// `column`: the axis of the element's region along which rows lie; lanes go along another axis,
  /// at level lane_level, and the column's own level is the one below.
  KnownRows(const KernelModule& module, LaneCode& code, const kernels::Region& element,
            std::size_t column);

  /// Emits all of the element's code below lane_level, one column after the other, with all lanes
  /// on; what depends on the column alone goes to level 1. `then` is called once a column's values
  /// have been emitted.
  void each_column(llvm::function_ref<void(std::int64_t column)> then);

 private:
  void hoist();
  [[nodiscard]] bool is_of_column(const core::Stmt& stmt) const;
  void set_column(std::int64_t column);
  bool read_whole_rows(const core::Stmt& stmt, std::int64_t column);

  LaneCode& code_;
  const kernels::Region& element_;
  std::size_t column_;
  std::int64_t columns_;
  std::vector<const core::Stmt*> of_columns_, others_;
  std::vector<const core::LoadLinear*>
      of_rows_;  // reads whose indices grow by one from column to column
  std::vector<std::map<kernels::Value, Lanes>> hoisted_;       // by column; empty before hoist()
  std::map<kernels::Value, std::vector<llvm::Value*>> whole_;  // by result, the columns' values
};

}  // namespace hasten::backends::cpu
