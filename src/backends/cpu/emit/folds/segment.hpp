// Segments of the last axis: rows of folds, or of elements.
#pragma once

#include "backends/cpu/emit/loops.hpp"

namespace hasten::backends::cpu {

struct Segment {
  llvm::Value *begin, *end;
};
/// The segment that the kernel's range returns for an outer index, evaluated here.
Segment segment_of(LaneCode& code, const Values& index);

/// Whether the vector for what is left of a segment is computed if nothing is: if an element costs
/// little where no lane is on. Gathers take as long as ever, and loads that no instruction masks
/// may not be made.
Rest rest_of_segments(LaneCode& code);

/// Asks for what elements after a segment read, after the masked vector for what was left of it at
/// `rest`. Masked loads do not tell the hardware what comes next, and short segments have no
/// others. Where there are others, more requests would hinder the hardware's own: the line is in
/// the cache.
void ask_after_rest(LaneCode& code, const Segment& segment, llvm::Value* rest);

/// The number of elements in each of `parts` equal parts, except the last ones; 0 if there are no
/// elements.
llvm::Value* part_length(LaneCode& code, llvm::Value* count, llvm::Value* parts);

}  // namespace hasten::backends::cpu
