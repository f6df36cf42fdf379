// Maps whose rows are shorter than the vectors of long rows: points of three coordinates, pixels of
// four channels, tables of a few columns.
#pragma once

#include "backends/cpu/emit/code.hpp"

namespace hasten::backends::cpu {

/// A function of type RunFunction that goes along rows, one register at a time, with little work
/// per row beside its vectors.
void emit_short_rows_along(const KernelModule& module, llvm::Function* function, unsigned lanes);
/// The same with lanes across rows, each lane with its own row: no lane is off but at the end, and
/// elements are stored one by one. For rank 2 and more. `extent_after`: a value of the kernel, if
/// any, that is the frame's extent after those of the kernel's axes.
void emit_short_rows_across(const KernelModule& module, llvm::Function* function, unsigned lanes,
                            kernels::Value extent_after = core::none);

/// The last one or two axes of a map, with at most `elements` elements together. Rows of a line
/// that are one row (flat_lines) go by `line_lanes`; 0: as others do.
struct BlockShape {
  std::size_t axes;
  std::int64_t elements;
  unsigned line_lanes = 0;
};
/// The same for blocks: lanes go across the axis before, each with its own block. The function's
/// rows are those of the outer axes. `extent_after`: as above.
void emit_across_blocks(const KernelModule& module, llvm::Function* function, unsigned lanes,
                        const BlockShape& shape, kernels::Value extent_after = core::none);

}  // namespace hasten::backends::cpu
