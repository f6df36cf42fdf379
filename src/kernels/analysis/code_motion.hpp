// Which values are hoisted before a kernel's inner loop, and which are recomputed inside it.
//
// A value that does not change along the inner axis is computed before the loop and held until the
// loop ends, in a register or, where none is left, spilled to a cache line of the stack. Any
// operation inside the loop costs more than that, with one exception: adding a number to an
// address, which loads do for free.
#pragma once

#include "kernels/kernel.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hasten::kernels {

/// Values that a loop can hold in registers.
inline constexpr std::size_t held_values_most = 16;

/// The loop of a nest in which each value can be computed first: the deepest loop among those of
/// its operands. Level 0 is before all loops.
class LoopLevels {
 public:
  explicit LoopLevels(const Kernel& kernel)
      : level_(kernel.value_types.size()),
        recomputed_(kernel.value_types.size()) {
    for (const Value v : kernel.recomputed) recomputed_[v] = true;
  }
  /// The parameters of the region whose statements are placed next. Recomputed values are placed at
  /// the deepest of these levels.
  void enter(std::span<const Value> params, std::span<const std::uint8_t> levels);
  /// Places what a statement defines, nested definitions included.
  std::uint8_t place(const core::Stmt& stmt);
  [[nodiscard]] std::uint8_t operator[](Value v) const { return level_[v]; }

 private:
  std::uint8_t deepest_ = 0;
  std::vector<std::uint8_t> level_;
  std::vector<bool> recomputed_;
};

/// Fills in Kernel::recomputed.
void choose_recomputed(Kernel& kernel);

/// "3 values held across the inner loop", and why others are not. Empty where no value is held.
[[nodiscard]] std::string describe_code_motion(const Kernel& kernel);

}  // namespace hasten::kernels
