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

/// The same with lanes across the axis before the last two, each of its own block of these, of rank
/// 3 and more; for blocks of at most so many elements. Its rows are those of the axes outside.
void emit_across_blocks(const KernelModule& module, llvm::Function* function, unsigned lanes,
                        std::int64_t elements);

}  // namespace hasten::backends::cpu
