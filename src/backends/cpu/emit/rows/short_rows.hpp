// Maps whose rows are shorter than the vectors that long ones take: points of three coordinates,
// pixels of four channels, tables of some columns.
#pragma once

#include "backends/cpu/emit/code.hpp"

namespace hasten::backends::cpu {

/// A function of type RunFunction that goes along rows, one register at a time. What is done with a
/// row beside its vectors is little.
void emit_short_rows_along(const KernelModule& module, llvm::Function* function, unsigned lanes);
/// The same with lanes across rows, each of its own: no lane is off but at the end, and elements
/// are stored one by one. Of rank 2 and more. `extent_after`: a value of the kernel, if any, that
/// is the extent which the frame has after those of the kernel's axes.
void emit_short_rows_across(const KernelModule& module, llvm::Function* function, unsigned lanes,
                            kernels::Value extent_after = core::none);

/// The last one or two axes of a map, which have at most so many elements together.
struct BlockShape {
  std::size_t axes;
  std::int64_t elements;
};
/// The same of blocks: with lanes across the axis before, each of its own block, for elements that
/// fold nothing. Its rows are those of the axes outside.
void emit_across_blocks(const KernelModule& module, llvm::Function* function, unsigned lanes,
                        const BlockShape& shape);

}  // namespace hasten::backends::cpu
