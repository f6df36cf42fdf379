// A map's sliding window: rows of values that elements share, on the stack
// (kernels/analysis/sliding_window.hpp).
#pragma once

#include "backends/cpu/emit/code.hpp"
#include "kernels/analysis/sliding_window.hpp"

#include <vector>

namespace hasten::backends::cpu {

/// void(frame, row, further, x0, x1, to, flags): stores the results of the window's producer in the
/// row `further` rows on along the last but one axis, at the columns [x0, x1), to to[0...].
llvm::Function* window_function(const KernelModule& module, const kernels::SlidingWindow& window,
                                unsigned lanes);

/// The window of one function, whose `code` runs the consumer.
class WindowRows {
 public:
  WindowRows(const KernelModule& module, LaneCode& code, const kernels::SlidingWindow& window,
             std::int64_t columns);
  /// Computes the rows that elements of `row` use at the columns [begin, end): the newest one, or
  /// all of them if the row before was no neighbour.
  void fill(llvm::Value* frame, llvm::Value* row, llvm::Value* all, llvm::Value* begin,
            llvm::Value* end);
  /// Sets the consumer's parameters for the lanes from this column on.
  void read(llvm::Value* column);

 private:
  /// The slot of the window's row that is `further` rows on.
  llvm::Value* slot(llvm::Value* row, llvm::Value* further);

  LaneCode& code_;
  const kernels::SlidingWindow& window_;
  llvm::Function* producer_;
  llvm::Type* type_;
  std::int64_t pitch_;
  llvm::AllocaInst* memory_;
  llvm::Value* begin_ = nullptr;     // the column where rows begin
  std::vector<llvm::Value*> slots_;  // of the row at hand
};

}  // namespace hasten::backends::cpu
