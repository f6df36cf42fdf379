// Loops of scalar code that count: fold_range, and what is written like it.
#pragma once

#include "kernels/kernel.hpp"

#include <cstddef>
#include <functional>
#include <optional>

namespace hasten::kernels {

/// A state of type i64 that grows by one each round; rounds are made as long as it is less than
/// `end`, which the loop does not change.
struct LoopCounter {
  std::size_t state;
  core::Value end;
};

/// `is_one`: whether a value from outside the loop is the number 1. Linear in the body's
/// statements.
[[nodiscard]] std::optional<LoopCounter> find_loop_counter(
    const core::While& loop, const std::function<bool(core::Value)>& is_one);

}  // namespace hasten::kernels
