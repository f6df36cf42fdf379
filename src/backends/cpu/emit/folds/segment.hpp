// Rows of a fold that are segments.
#pragma once

#include "backends/cpu/emit/loops.hpp"

namespace hasten::backends::cpu {

struct Segment {
  llvm::Value *begin, *end;
};
/// The segment that the kernel's range returns for an outer index, evaluated here.
Segment segment_of(LaneCode& code, const Values& index);

/// The number of elements in each of `parts` equal parts, except the last ones; 0 if there are no
/// elements.
llvm::Value* part_length(LaneCode& code, llvm::Value* count, llvm::Value* parts);

}  // namespace hasten::backends::cpu
