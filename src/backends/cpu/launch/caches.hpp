// The sizes of the caches, determined when a launch first needs them.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace hasten::backends::cpu {

/// In bytes: a thread's second cache, and the last one.
struct CacheSizes {
  std::int64_t second, last;
};

/// Sizes that are known, or that a function determines: reading the system's tables takes longer
/// than a process's first small launches, which never need them. Thread-safe.
class Caches {
 public:
  using Find = CacheSizes (*)();
  explicit Caches(CacheSizes known) : sizes_(known), is_known_(true) {}
  explicit Caches(Find find) : find_(find) {}

  [[nodiscard]] std::int64_t second() const { return sizes().second; }
  [[nodiscard]] std::int64_t last() const { return sizes().last; }
  /// Whether the last cache certainly holds this many bytes, even before the sizes are determined.
  [[nodiscard]] bool surely_hold(std::int64_t bytes) const {
    constexpr std::int64_t in_any = std::int64_t{32} << 10;  // at least the size of any first cache
    return bytes <= in_any && !is_known_.load(std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] const CacheSizes& sizes() const {
    if (!is_known_.load(std::memory_order_acquire)) {
      const std::lock_guard lock(finding_);
      if (!is_known_.load(std::memory_order_relaxed)) {
        sizes_ = find_();
        is_known_.store(true, std::memory_order_release);
      }
    }
    return sizes_;
  }

  const Find find_ = nullptr;
  mutable std::mutex finding_;
  mutable CacheSizes sizes_ = {};
  mutable std::atomic<bool> is_known_ = false;
};

}  // namespace hasten::backends::cpu
