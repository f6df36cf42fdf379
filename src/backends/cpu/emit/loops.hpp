// The loops every skeleton is made of.
#pragma once

#include "backends/cpu/emit/code.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace hasten::backends::cpu {

using Values = std::vector<llvm::Value*>;

/// `then()` if the condition (a scalar) holds, else `otherwise`.
Values guarded(LaneCode& code, llvm::Value* condition, const Values& otherwise,
               llvm::function_ref<Values()> then);

/// for (i = begin; i < end; i += step) state = body(i, state); at least one round is made.
Values counted(LaneCode& code, llvm::Value* begin, llvm::Value* end, std::int64_t step,
               Values state, llvm::function_ref<Values(llvm::Value*, const Values&)> body);

/// Whether a masked round is made if no lane is left for it: where the number of rounds is not
/// predicted, a branch costs more.
enum class Rest : std::uint8_t { if_any, always };

/// The same over vectors of indices, for any number of rounds: whole vectors, then once under a
/// mask. The body is emitted twice; `tail` is true for the masked copy.
Values in_vectors(LaneCode& code, llvm::Value* begin, llvm::Value* end, Values state,
                  llvm::function_ref<Values(llvm::Value*, const Values&, bool tail)> body,
                  Rest rest = Rest::if_any);

/// Cuts the rows [begin, end), at least one, into runs of rows of one kind, an i1 that `kind_of`
/// emits for a row. `body` emits the code for a run [first, last) of one kind.
void for_each_run(
    LaneCode& code, llvm::Value* begin, llvm::Value* end,
    llvm::function_ref<llvm::Value*(llvm::Value* row)> kind_of,
    llvm::function_ref<void(llvm::Value* kind, llvm::Value* first, llvm::Value* last)> body);

/// for (row = begin; row < end;) row = body(row); at least one round is made.
void in_runs(LaneCode& code, llvm::Value* begin, llvm::Value* end,
             llvm::function_ref<llvm::Value*(llvm::Value* row)> body);

/// Keeps a place open for code of a level while the code below it is emitted.
class OpenLevel {
 public:
  /// The level's block is the current one; emission goes on in a new block.
  OpenLevel(LaneCode& code, unsigned level);
  /// Joins both blocks. Emission continues where it is.
  void close();

 private:
  LaneCode& code_;
  unsigned level_;
  llvm::BasicBlock* below_;
};

/// for (row = begin; row < end; ++row), with row split into indices of the outermost `axes` axes.
/// Without axes there is one row, 0, and no loop.
class RowLoop {
 public:
  RowLoop(LaneCode& code, llvm::Value* begin, llvm::Value* end, std::size_t axes);
  void close();

  llvm::Value* row;
  Values index;

 private:
  LaneCode& code_;
  llvm::Value* end_;
  llvm::BasicBlock* head_ = nullptr;
};

/// The indices of a row.
Values split_row(LaneCode& code, llvm::Value* row, std::size_t axes);
/// The next index in row-major order along neighbouring axes, of which `axis` is the first: counted
/// up with a carry, innermost first.
Values next_index(LaneCode& code, Values index, std::size_t axis);

}  // namespace hasten::backends::cpu
