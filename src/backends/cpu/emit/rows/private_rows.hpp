// Rows that lanes have to themselves, in columns: where lane l reads, step after step, the elements
// of a row that begins l * distance after the first lane's, a block of them is turned once, and
// each step reads a vector where it would gather.
#pragma once

#include "backends/cpu/emit/code.hpp"

#include <map>
#include <memory>
#include <vector>

namespace hasten::backends::cpu {

/// The reads of a loop that are of this kind: at the index of each lane's row plus the loop's
/// counter, in every round; and the code of their indices that can be run at the first step.
struct RowReads {
  std::vector<const core::LoadLinear*> reads;
  std::vector<const core::Stmt*> indices;
};

/// Whose code a loop has, and where its blocks are read: an element's, before the elements; a
/// reduction's, all of it, before the elements as well, or where the reduction stands.
enum class RowLoopOf : std::uint8_t { element, reduction, reduction_here };

/// Of a loop in the lanes of a kernel of which `places` has been told; `step` is its counter.
RowReads find_row_reads(const HoistingLevels& places, const kernels::Region& body,
                        kernels::Value step, RowLoopOf kind);

/// Their blocks, which are read before the loop.
class PrivateRows {
 public:
  /// `body`: the loop's code, `step` its counter. Values at lane_level or above, but for those of
  /// `body` if it is a reduction's, are there when a block is read.
  PrivateRows(const KernelModule& module, LaneCode& code, const kernels::Region& body,
              kernels::Value step, RowLoopOf kind = RowLoopOf::element);
  PrivateRows(const PrivateRows&) = delete;
  PrivateRows& operator=(const PrivateRows&) = delete;
  /// From here on the code reads memory again.
  ~PrivateRows();

  [[nodiscard]] bool found() const { return !rows_.reads.empty(); }
  /// Steps that a block has, at most.
  [[nodiscard]] std::int64_t steps_max() const { return steps_max_; }
  /// Reads the block of `count` steps; the loop's code that is emitted from here on has its
  /// elements. `first`: the counter's value at its first step, the same in all lanes or affine.
  /// `rows`: lanes that are on; the others get anything.
  void read(const Lanes& first, llvm::Value* count, llvm::Value* rows);

 private:
  /// What memory holds: of complex elements their parts.
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
  RowReads rows_;
  std::vector<llvm::Value*> blocks_;  // by read
  std::int64_t steps_max_ = 0;
};

/// Those of the element's reductions whose ranges are known before its loop, read for as many steps
/// as blocks have: what all elements of the loop read again is turned once. `on`: as above.
std::vector<std::unique_ptr<PrivateRows>> rows_of_reductions(const KernelModule& module,
                                                             LaneCode& code,
                                                             const kernels::Region& element,
                                                             llvm::Value* on);

/// What a fold stores beside it, or a scan's results, of which each lane has a row: collected in
/// columns, and written when a block of steps is through.
class RowWrites {
 public:
  /// Of the outputs from `first` on.
  RowWrites(const KernelModule& module, LaneCode& code, std::size_t first);
  [[nodiscard]] bool found() const { return !blocks_.empty(); }
  [[nodiscard]] std::int64_t steps_max() const { return steps_max_; }
  /// False if the output is not collected.
  bool collect(std::size_t output, llvm::Value* step, llvm::Value* value);
  /// The steps [0, count), from `place` of the outputs on for the first lane, and `length` further
  /// for each other one; `rows`: as above.
  void write(llvm::Value* place, llvm::Value* length, llvm::Value* count, llvm::Value* rows);

 private:
  const KernelModule& module_;
  LaneCode& code_;
  std::map<std::size_t, llvm::AllocaInst*> blocks_;  // by output
  std::int64_t steps_max_ = 0;
};

enum class Turn : std::uint8_t { to_columns, to_rows };

/// void(from, distance, count, rows, to, ahead), of elements of so many bits, for k < count and r <
/// rows. To columns: to[k * lanes + r] is from[r * distance + k], and so many bytes after the block
/// are asked for, or, if `ahead` is negative, what comes next of each row. To rows: to[r * distance
/// + k] is from[k * lanes + r].
llvm::Function* turn_function(const KernelModule& module, Turn turn, unsigned bits, unsigned lanes);

}  // namespace hasten::backends::cpu
