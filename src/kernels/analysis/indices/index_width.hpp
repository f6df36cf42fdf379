// Which numbers of a kernel's index arithmetic fit into 32 bits, in launches whose arrays are not
// too large.
//
// Two facts make 32 bits enough for a value of type i64. Either its range shows it: an index of the
// space, an extent, or a value computed from them that does not grow too large. Or its users need
// only its low bits: addresses are in range, so their low bits suffice, and the low bits of sums
// and products depend only on low bits.
#pragma once

#include "core/scalar_ops.hpp"
#include "kernels/analysis/indices/index_ranges.hpp"
#include "kernels/kernel.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace hasten::kernels {

enum class IndexWidth : std::uint8_t { narrow, wide };

/// Conditions on a launch of narrow code.
struct NarrowDemands {
  /// By Kernel::scalars: the range that the scalar must lie in.
  std::vector<Range> demanded;
  /// Products for which the same is known only once their factors are.
  std::vector<kernels::Value> assumed;
};

/// The widths with which the text of a kernel is generated.
struct IndexWidths : NarrowDemands {
  IndexWidth width = IndexWidth::wide;
  std::vector<bool> is_narrow;  // by Value: an i64 that is kept in 32 bits
  std::vector<Range> ranges;    // by Value: of an i64
};

/// The low bits of the result depend only on the low bits of the arguments.
[[nodiscard]] bool keeps_low_bits(core::ScalarOp op);
/// With arguments that fit into 32 bits the operation yields the same result in 32 bits; the low
/// bits of other arguments do not determine its result.
[[nodiscard]] bool needs_values(core::ScalarOp op);

[[nodiscard]] IndexWidths index_widths(const kernels::Kernel& kernel, IndexWidth width);

/// Whether a launch may use narrow code: `limit` is narrow_limit or less.
[[nodiscard]] bool may_be_narrow(const kernels::Kernel& kernel, const NarrowDemands& demands,
                                 std::span<const std::int64_t> extents,
                                 std::span<const std::uint64_t> scalars, std::int64_t largest_array,
                                 std::int64_t limit);

}  // namespace hasten::kernels
