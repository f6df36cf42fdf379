// Which values stand before a kernel's inner loop, and which cheap ones are computed again in it.
//
// What does not change along the inner axis can be computed before its loop, where it takes a
// register until the loop ends. That pays for what costs something. Where more is held than there
// are registers, a few operations on what is held anyway cost less than one more value.
#pragma once

#include "kernels/kernel.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hasten::kernels {

/// Values that a loop holds without any loss.
inline constexpr std::size_t held_values_most = 16;
/// Plain operations that are computed again rather than held, where there are more.
inline constexpr unsigned recomputed_operations_most = 2;

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
