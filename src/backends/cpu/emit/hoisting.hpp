// Where in a loop nest, and in which form, each value of a kernel's scalar code is computed.
//
// Level 0 is the function's entry, then one level per loop, outermost first. A value of a region
// stands at the deepest level of what it depends on: what does not change with the inner loop is
// computed before it, unless the kernel says that it is cheaper to compute again
// (kernels/analysis/code_motion.hpp). Code inside branches and loops of the region stands where its
// statement does.
#pragma once

#include "kernels/analysis/code_motion.hpp"
#include "kernels/analysis/private_arrays.hpp"
#include "kernels/kernel.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace hasten::backends::cpu {

/// From this level on values may differ among lanes.
inline constexpr unsigned lane_level = 2;

/// From so many elements on arrays that loops change are in memory: of fewer, selects are faster.
inline constexpr std::size_t private_array_least = 13;

enum class Spread : std::uint8_t {
  uniform,  // the same in all lanes
  affine,   // an integer that grows by one from lane to lane
  varying,  // anything
};

struct Place {
  std::uint8_t level = 0;
  Spread spread = Spread::uniform;
};

class HoistingLevels {
 public:
  /// `lanes`: more than one; `along`: reductions outside the lanes' loop may have theirs.
  HoistingLevels(const kernels::Kernel& kernel, bool lanes, bool along = true)
      : lanes_(lanes),
        may_go_along_(lanes && along),
        levels_(kernel),
        places_(kernel.value_types.size()),
        along_lanes_(kernel.value_types.size()),
        arrays_(kernel, private_array_least) {}

  /// Places all values of a region whose parameters stand at `params`; what it uses from outside
  /// has been placed before, or is a scalar argument.
  void add(const kernels::Region& region, std::span<const Place> params);

  [[nodiscard]] const Place& operator[](kernels::Value v) const { return places_[v]; }
  /// Whether the reduction that gives this value has lanes along its range: an operation of the
  /// table outside the lanes' loop.
  [[nodiscard]] bool along_lanes(kernels::Value v) const { return along_lanes_[v]; }
  [[nodiscard]] bool varying(kernels::Value v) const {
    return places_[v].spread != Spread::uniform;
  }
  /// Arrays in memory, each with all its elements in one form.
  [[nodiscard]] const kernels::PrivateArrays& arrays() const { return arrays_; }

 private:
  void body(const kernels::Region& region);
  void statement(const core::Stmt& stmt);
  [[nodiscard]] Spread of_prim(const core::Prim& prim) const;
  void branch(const core::If& branch, const core::Stmt& stmt);
  void loop(const core::While& loop, const core::Stmt& stmt);
  void elements(const core::Stmt& stmt);
  [[nodiscard]] bool is_in_lanes() const {
    return lanes_ && (in_lanes_ || (region_differs_ && level_ >= lane_level));
  }
  [[nodiscard]] bool is_of_array_in_lanes(kernels::Value v) const {
    return is_in_lanes() && arrays_[v].array != core::none;
  }
  void reduction(const core::Reduce& reduce, const core::Stmt& stmt);
  void reduction_in_order(const core::Reduce& reduce, const core::Stmt& stmt);
  void set_spread(const std::vector<kernels::Value>& values, Spread spread);

  bool lanes_, may_go_along_;
  bool region_differs_ = false;  // among lanes, by its parameters
  bool in_lanes_ = false;        // of a reduction
  unsigned level_ = 0;           // of the statement at hand
  kernels::LoopLevels levels_;
  std::vector<Place> places_;
  std::vector<bool> along_lanes_;
  kernels::PrivateArrays arrays_;
};

}  // namespace hasten::backends::cpu
