// Rows that lanes have to themselves, in columns: where lane l reads, step after step, the elements
// of a row that begins l * distance after the first lane's, a block of the rows is transposed once,
// and each step loads a vector instead of gathering.
#pragma once

#include "backends/cpu/emit/code.hpp"

#include <map>
#include <memory>
#include <vector>

namespace hasten::backends::cpu {

/// The reads of a loop at the index of each lane's row plus the loop's counter, made in every
/// round; and the code of their indices that can run at the first step.
struct RowReads {
  std::vector<const core::LoadLinear*> reads;
  std::vector<const core::Stmt*> indices;
};

/// Whose code a loop runs, and where its blocks are read: an element's code, with blocks read
/// before the elements; a reduction's, all of it, also read before the elements, or where the
/// reduction is; the body of a While, of which the counter is one state, read where that is.
enum class RowLoopOf : std::uint8_t { element, reduction, reduction_here, while_here };

/// For a loop in the lanes of a kernel that `places` knows; `step` is its counter.
RowReads find_row_reads(const HoistingLevels& places, const kernels::Region& body,
                        kernels::Value step, RowLoopOf kind);

/// Their blocks, which are read before the loop.
class PrivateRows {
 public:
  /// `body`: the loop's code, `step` its counter. When a block is read, values at lane_level or
  /// above have been emitted, except those of `body` if it is a reduction's.
  PrivateRows(const KernelModule& module, LaneCode& code, const kernels::Region& body,
              kernels::Value step, RowLoopOf kind = RowLoopOf::element);
  PrivateRows(const PrivateRows&) = delete;
  PrivateRows& operator=(const PrivateRows&) = delete;
  /// Code emitted from here on reads memory again.
  ~PrivateRows();

  [[nodiscard]] bool found() const { return !rows_.reads.empty(); }
  /// Steps that a block has, at most.
  [[nodiscard]] std::int64_t steps_max() const { return steps_max_; }
  /// Reads the block of `count` steps; the loop's code emitted from here on uses its elements.
  /// `first`: the counter's value at the block's first step, the same in all lanes or affine.
  /// `rows`: lanes that are on; the others are undefined.
  void read(const Lanes& first, llvm::Value* count, llvm::Value* rows);

 private:
  /// Elements as memory holds them: a complex element is two parts.
  struct Elements {
    llvm::Type* type;
    std::int64_t parts;
  };

  [[nodiscard]] Elements elements(const core::LoadLinear& read) const;
  void turn(const core::LoadLinear& read, const Affine& index, llvm::Value* count,
            llvm::Value* rows, llvm::Value* out);
  llvm::Value* next_block(llvm::Value* step, llvm::Value* count, llvm::Value* column_bytes);

  const KernelModule& module_;
  LaneCode& code_;
  kernels::Value step_;
  RowLoopOf kind_;
  RowReads rows_;
  std::vector<llvm::Value*> blocks_;  // by read
  std::int64_t steps_max_ = 0;
};

/// The rows of those of the element's reductions whose ranges are known before the element's loop,
/// read for as many steps as blocks have: what all elements of the loop read again is transposed
/// once. `on`: as above.
std::vector<std::unique_ptr<PrivateRows>> rows_of_reductions(const KernelModule& module,
                                                             LaneCode& code,
                                                             const kernels::Region& element,
                                                             llvm::Value* on);

/// Results that a fold stores beside it, or a scan's, where each lane has a row: collected in
/// columns, and written after each block of steps.
class RowWrites {
 public:
  /// For the outputs from `first` on.
  RowWrites(const KernelModule& module, LaneCode& code, std::size_t first);
  [[nodiscard]] bool found() const { return !blocks_.empty(); }
  [[nodiscard]] std::int64_t steps_max() const { return steps_max_; }
  /// False if the output is not collected.
  bool collect(std::size_t output, llvm::Value* step, llvm::Value* value);
  /// Writes the steps [0, count), from `place` of the outputs on for the first lane, and `length`
  /// further on for each next one; `rows`: as above.
  void write(llvm::Value* place, llvm::Value* length, llvm::Value* count, llvm::Value* rows);

 private:
  const KernelModule& module_;
  LaneCode& code_;
  std::map<std::size_t, llvm::AllocaInst*> blocks_;  // by output
  std::int64_t steps_max_ = 0;
};

enum class Turn : std::uint8_t { to_columns, to_rows };

/// void(from, distance, count, rows, to, ahead), for elements of `bits` bits, for k < count and r <
/// rows. To columns: to[k * lanes + r] is from[r * distance + k], and what lies `ahead` bytes after
/// the block is prefetched, or, if `ahead` is negative, the continuation of each row. To rows: to[r
/// * distance + k] is from[k * lanes + r].
llvm::Function* turn_function(const KernelModule& module, Turn turn, unsigned bits, unsigned lanes);

}  // namespace hasten::backends::cpu
