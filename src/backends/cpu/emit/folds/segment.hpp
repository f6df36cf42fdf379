// Rows of a fold that are segments.
#pragma once

#include "backends/cpu/emit/loops.hpp"

namespace hasten::backends::cpu {

struct Segment {
  llvm::Value *begin, *end;
};
/// What the kernel's range says at an outer index, evaluated here.
Segment segment_of(LaneCode& code, const Values& index);

/// Elements of each of so many equal parts, but for the last ones; 0 if there are no elements.
llvm::Value* part_length(LaneCode& code, llvm::Value* count, llvm::Value* parts);

}  // namespace hasten::backends::cpu
