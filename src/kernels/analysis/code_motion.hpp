// Which values stand before a kernel's inner loop, and which are computed again in it.
//
// What does not change along the inner axis is computed before its loop and held until the loop
// ends, in a register or, where there are none left, in the stack's cache line. An operation in the
// loop costs more than that, but for one: a number that is added to a place, which reads do by
// themselves.
#pragma once

#include "kernels/kernel.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hasten::kernels {

/// Values that a loop holds in registers.
inline constexpr std::size_t held_values_most = 16;

/// The loop of a nest in which each value can be computed first: the deepest one that anything it
/// depends on belongs to. 0 is before all loops.
class LoopLevels {
 public:
  explicit LoopLevels(const Kernel& kernel)
      : level_(kernel.value_types.size()),
        recomputed_(kernel.value_types.size()) {
    for (const Value v : kernel.recomputed) recomputed_[v] = true;
  }
  /// The parameters of a region whose statements are placed next. What is computed again stands at
  /// the deepest level of these.
  void enter(std::span<const Value> params, std::span<const std::uint8_t> levels);
  /// Places what a statement defines, inside it, too.
  std::uint8_t place(const core::Stmt& stmt);
  [[nodiscard]] std::uint8_t operator[](Value v) const { return level_[v]; }

 private:
  std::uint8_t deepest_ = 0;
  std::vector<std::uint8_t> level_;
  std::vector<bool> recomputed_;
};

/// Fills in Kernel::recomputed.
void choose_recomputed(Kernel& kernel);

/// "3 values held across the inner loop", and why others are not. Empty where nothing is held.
[[nodiscard]] std::string describe_code_motion(const Kernel& kernel);

}  // namespace hasten::kernels
