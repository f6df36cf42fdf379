// How far the host may lead a device in a call that can be stopped: enqueued work stays enqueued.
#pragma once

#include "runtime/execute/own_work.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace hasten::runtime {

/// Waits for the call's work periodically, so that the device takes some 10 to 40 ms for enqueued
/// work. For one call; not thread-safe.
class Lead {
 public:
  explicit Lead(OwnWork& work) : work_(work) {}

  /// The number of launches that may be enqueued together: a power of two.
  [[nodiscard]] std::int64_t allowance() const { return allowance_; }
  /// `count` more are enqueued. Throws the device's errors.
  void launched(std::int64_t count) {
    pending_ += count;
    if (pending_ < allowance_) return;
    work_.finish();
    const auto now = Clock::now();
    if (now - last_ < shortest) allowance_ = std::min(2 * allowance_, most);
    if (now - last_ > longest) allowance_ = std::max<std::int64_t>(allowance_ / 2, 1);
    pending_ = 0;
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds shortest{10}, longest{40};
  static constexpr std::int64_t most = std::int64_t{1} << 20;

  OwnWork& work_;
  std::int64_t allowance_ = 1, pending_ = 0;
  Clock::time_point last_ = Clock::now();
};

}  // namespace hasten::runtime
