// Where in a loop nest, and in which form, each value of a kernel's scalar code is computed.
//
// Level 0 is the function's entry, then one level per loop, outermost first. A value of a region
// stands at the deepest level of what it depends on: what does not change with the inner loop is
// computed before it. Code inside branches and loops of the region stands where its statement does.
#pragma once

#include "kernels/kernel.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace hasten::backends::cpu {

/// From this level on values may differ among lanes.
inline constexpr unsigned lane_level = 2;

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
  /// `lanes`: more than one.
  HoistingLevels(const kernels::Kernel& kernel, bool lanes)
      : lanes_(lanes),
        places_(kernel.value_types.size()),
        along_lanes_(kernel.value_types.size()) {}

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

 private:
  void body(const kernels::Region& region);
  void statement(const core::Stmt& stmt);
  [[nodiscard]] Spread of_prim(const core::Prim& prim) const;
  void branch(const core::If& branch, const core::Stmt& stmt);
  void loop(const core::While& loop, const core::Stmt& stmt);
  void reduction(const core::Reduce& reduce, const core::Stmt& stmt);
  void reduction_in_order(const core::Reduce& reduce, const core::Stmt& stmt);
  void set_spread(const std::vector<kernels::Value>& values, Spread spread);

  bool lanes_;
  bool in_lanes_ = false;  // of a reduction
  unsigned level_ = 0;     // of the statement at hand
  std::vector<Place> places_;
  std::vector<bool> along_lanes_;
};

}  // namespace hasten::backends::cpu
