// The ranges of the values in a kernel's index arithmetic.
//
// The product of an index and a uniform number is usually a term of a linear index, and then it is
// small, but only a launch can tell. So its range is assumed. Where a decision relies on an assumed
// range, launches recompute the ranges from their own extents and numbers.
#pragma once

#include "kernels/kernel.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hasten::kernels {

/// Narrow code may be launched if no array, no space and no number it relies on is larger. Twice
/// this, the index of a part of a complex number, still fits into 31 bits.
inline constexpr std::int64_t narrow_limit = std::int64_t{1} << 30;

/// The values that an i64 can have.
struct Range {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  [[nodiscard]] bool fits_32_bits() const {
    return least >= std::numeric_limits<std::int32_t>::min() &&
           greatest <= std::numeric_limits<std::int32_t>::max();
  }
};

inline constexpr Range everything;

/// Ranges of all values of a kernel, from those of its scalars and of the indices of its space. One
/// forward walk: no range is carried around a loop.
class Ranges {
 public:
  Ranges(const kernels::Kernel& kernel, std::span<const Range> scalars,
         std::span<const Range> space, bool assumes);

  [[nodiscard]] const Range& operator[](kernels::Value v) const { return ranges_[v]; }
  /// Whether the value's range is only assumed to be small.
  [[nodiscard]] bool is_assumed(kernels::Value v) const { return is_assumed_[v]; }
  std::vector<Range> take() { return std::move(ranges_); }

 private:
  void find(const kernels::Region& region, std::span<const Range> indices);
  void find_epilogue(std::span<const Range> space);
  [[nodiscard]] bool is_index(kernels::Value v) const;
  void find_ranges(const kernels::Region& region);
  void assume(const core::Prim& prim, kernels::Value result);
  [[nodiscard]] Range range_of(const core::Prim& prim) const;
  [[nodiscard]] Range cast_of(kernels::Value from) const;
  [[nodiscard]] Range unsigned_range_of(const core::Prim& prim) const;

  const kernels::Kernel& kernel_;
  const bool assumes_;
  std::vector<Range> ranges_;
  std::vector<bool> is_uniform_, is_assumed_;
};

}  // namespace hasten::kernels
