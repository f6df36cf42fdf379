// Scans: along their axis in tiles, or with a row of the result per lane.
//
// A tile's elements are c f x0, c f x0 f x1, ... with c the fold of all tiles before it, each
// folded on its own and combined in order. So tiles can be scanned at once, or one after the other,
// with the same bits.
#pragma once

#include "backends/cpu/emit/folds/fold_operator.hpp"
#include "backends/cpu/emit/skeletons.hpp"

namespace hasten::backends::cpu {

// The functions of a scan's module, each of type RunFunction.

/// Tiles one after the other, by vectors along them, or element by element.
void emit_scan_of_tiles(const KernelModule& module, llvm::Function* function, unsigned lanes,
                        bool in_order);
/// Whole tiles, one for each lane. `others` handles the last tile, which is shorter.
void emit_scan_of_runs(const KernelModule& module, llvm::Function* function, unsigned lanes,
                       llvm::Function* others);
/// Lanes along the last but one axis.
void emit_scan_across(const KernelModule& module, llvm::Function* function, unsigned lanes);

// What they share.

/// Values of a tile in scratch memory.
Values load_tile(LaneCode& code, llvm::Value* scratch, llvm::Value* tile);
void store_tile(LaneCode& code, llvm::Value* scratch, llvm::Value* tile, const Values& values);
/// left f right on scalars, the same way wherever tiles meet.
Values tiles_combined(LaneCode& code, const Values& left, const Values& right);
/// On scalars.
Values seeds(LaneCode& code);
/// The epilogue is emitted where its results are stored.
void place_epilogue(LaneCode& code, bool lanes);
/// The values stored for an element; its outer indices are set.
Values epilogue_of(LaneCode& code, Lanes index, const Values& element);
/// The number of elements in a tile: scan_tile_elements, emitted.
llvm::Value* scan_tile_size(LaneCode& code);
/// The row length of the outputs: one element more than the axis has if there is a seed.
llvm::Value* row_length(LaneCode& code);

}  // namespace hasten::backends::cpu
