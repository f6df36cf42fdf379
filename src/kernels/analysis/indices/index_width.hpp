// Which numbers of a kernel's index arithmetic 32 bits are enough for, in launches whose arrays
// are not too large.
//
// Two things make 32 bits enough for a value of i64. Its range shows it: an index of the space, an
// extent, what is made of them without growing too large. Or nobody asks for more than its low
// bits: addresses are in range, so their low bits say all, and low bits of sums and products come
// of low bits.
#pragma once

#include "core/scalar_ops.hpp"
#include "kernels/analysis/indices/index_ranges.hpp"
#include "kernels/kernel.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace hasten::kernels {

enum class IndexWidth : std::uint8_t { narrow, wide };

/// What must hold of a launch of narrow code.
struct NarrowDemands {
  /// By Kernel::scalars: what the scalar must lie in.
  std::vector<Range> demanded;
  /// Products of which the same is only known once their factors are.
  std::vector<kernels::Value> assumed;
};

/// What a kernel's text of one width is made by.
struct IndexWidths : NarrowDemands {
  IndexWidth width = IndexWidth::wide;
  std::vector<bool> is_narrow;  // by Value: an i64 that is kept in 32 bits
  std::vector<Range> ranges;    // by Value: of an i64
};

/// Low bits of the result come of the arguments' low bits, and of nothing else.
[[nodiscard]] bool keeps_low_bits(core::ScalarOp op);
/// Of arguments that fit into 32 bits it gives the same in 32 bits, and of others' low bits
/// nothing.
[[nodiscard]] bool needs_values(core::ScalarOp op);

[[nodiscard]] IndexWidths index_widths(const kernels::Kernel& kernel, IndexWidth width);

/// Whether a launch may use narrow code: `limit` is narrow_limit or less.
[[nodiscard]] bool may_be_narrow(const kernels::Kernel& kernel, const NarrowDemands& demands,
                                 std::span<const std::int64_t> extents,
                                 std::span<const std::uint64_t> scalars, std::int64_t largest_array,
                                 std::int64_t limit);

}  // namespace hasten::kernels
