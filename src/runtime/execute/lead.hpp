// How far the host may be ahead of a device in a call that can be stopped: what is enqueued cannot
// be taken back.
#pragma once

#include "runtime/execute/own_work.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace hasten::runtime {

/// Waits for the call's work now and then, so that what is enqueued takes it some 10 to 40 ms. Of
/// one call, not for several threads at once.
class Lead {
 public:
  explicit Lead(OwnWork& work) : work_(work) {}

  /// Launches that may be enqueued together: a power of two.
  [[nodiscard]] std::int64_t allowance() const { return allowance_; }
  /// So many more are enqueued. Throws what the device throws.
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
