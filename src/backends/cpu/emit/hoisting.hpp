// The loop level and the form in which each value of a kernel's scalar code is computed.
//
// Level 0 is the function's entry, followed by one level per loop, outermost first. A value of a
// region is computed at the deepest level of its operands: a loop invariant is computed before the
// inner loop, unless the kernel says that recomputing it is cheaper
// (kernels/analysis/code_motion.hpp). Code inside branches and loops of the region stays where its
// statement is.
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

/// Arrays that loops change are in memory if they have at least this many elements; for fewer,
/// selects are faster.
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
  /// `lanes`: there is more than one; `along`: reductions outside the lanes' loop may have lanes of
  /// their own.
  HoistingLevels(const kernels::Kernel& kernel, bool lanes, bool along = true)
      : lanes_(lanes),
        may_go_along_(lanes && along),
        levels_(kernel),
        places_(kernel.value_types.size()),
        along_lanes_(kernel.value_types.size()),
        arrays_(kernel, private_array_least) {}

  /// Places all values of a region whose parameters are at `params`; values that it uses from
  /// outside have been placed before, or are scalar arguments.
  void add(const kernels::Region& region, std::span<const Place> params);

  [[nodiscard]] const Place& operator[](kernels::Value v) const { return places_[v]; }
  /// Whether the reduction that defines this value has lanes along its range: its operator is one
  /// of the table, and it is outside the lanes' loop.
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
  bool in_lanes_ = false;        // whether the reduction at hand has lanes
  unsigned level_ = 0;           // of the statement at hand
  kernels::LoopLevels levels_;
  std::vector<Place> places_;
  std::vector<bool> along_lanes_;
  kernels::PrivateArrays arrays_;
};

}  // namespace hasten::backends::cpu
