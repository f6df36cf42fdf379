// Rows of a few elements, so many that the code knows the number: lanes go across rows, the columns
// are written out one after the other, and what is read and written of whole rows is taken apart
// and put together in registers.
#pragma once

#include "backends/cpu/emit/code.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <map>
#include <vector>

namespace hasten::backends::cpu {

class KnownRows {
 public:
  /// `column`: the axis of the element's region along which rows lie; lanes go along another one,
  /// of level lane_level, and the column's own level is the one below.
  KnownRows(const KernelModule& module, LaneCode& code, const kernels::Region& element,
            std::size_t column);

  /// All of the element's code below lane_level, a column after the other, no lane of which is
  /// off; what depends on the column alone goes to level 1. `then` is called where a column's
  /// values are there.
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
      of_rows_;  // whose indices go on by one from column to column
  std::vector<std::map<kernels::Value, Lanes>> hoisted_;       // by column; empty before they are
  std::map<kernels::Value, std::vector<llvm::Value*>> whole_;  // by result, what columns have
};

}  // namespace hasten::backends::cpu
