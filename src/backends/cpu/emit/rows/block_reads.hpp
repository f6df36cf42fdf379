// What the elements of a small block read, where each lane has a block of its own: the block's part
// of an array is transposed once, and each element then loads vectors.
#pragma once

#include "backends/cpu/emit/hoisting.hpp"
#include "kernels/kernel.hpp"

#include <cstdint>
#include <vector>

namespace hasten::backends::cpu {

/// Reads that an element makes, in every round of a loop that it has, at indices that are computed
/// from the element's own indices and the loop's counter alone.
struct LoopReads {
  std::vector<const core::LoadLinear*> reads;
  std::vector<const core::Stmt*> code;  // of the indices, in order
  /// The counter runs from `begin` to below `end`, which are the same in all lanes and elements,
  /// and `bounds` computes them; none outside of loops.
  kernels::Value step = core::none, begin = core::none, end = core::none;
  std::vector<const core::Stmt*> bounds;
};

/// The reads of one array that differ from lane to lane and from element to element of a block. The
/// loops are at least one.
struct BlockReads {
  std::uint32_t array;
  std::vector<LoopReads> loops;
};

std::vector<BlockReads> find_block_reads(const HoistingLevels& places,
                                         const kernels::Kernel& kernel,
                                         const kernels::Region& element);

}  // namespace hasten::backends::cpu
