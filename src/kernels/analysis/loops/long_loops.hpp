// Loops of a kernel's scalar code that may run long: those that poll whether the call is to stop.
//
// in:  a kernel
// out: its loops that are not known to take few rounds, counting all loops nested in them
#pragma once

#include "kernels/kernel.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hasten::kernels {

class LongLoops {
 public:
  /// Linear in the size of the kernel.
  explicit LongLoops(const Kernel& kernel);

  /// For a While or a Reduce of this kernel.
  [[nodiscard]] bool is_long(const core::Stmt& loop) const { return is_long_[loop.results[0]]; }
  [[nodiscard]] bool any() const { return any_; }

 private:
  void note_constants(const Region& region);
  /// The number of rounds of the region's short loops.
  [[nodiscard]] std::int64_t rounds_in(const Region& region);
  [[nodiscard]] std::int64_t rounds_in(const core::Stmt& stmt);
  [[nodiscard]] std::optional<std::int64_t> rounds_of(const core::Stmt& stmt) const;
  [[nodiscard]] std::optional<std::int64_t> rounds_of(const core::While& loop) const;
  [[nodiscard]] std::optional<std::int64_t> constant(Value v) const { return constants_[v]; }

  const Kernel& kernel_;
  std::vector<std::optional<std::int64_t>> constants_;  // by Value
  std::vector<bool> is_long_;                           // by Value
  bool any_ = false;
};

}  // namespace hasten::kernels
