// A lock for a few instructions, which every call takes several times: an exchange and a store,
// where a mutex takes two exchanges and two calls.
#pragma once

#include <atomic>
#include <thread>

namespace hasten::ahead {

/// For std::lock_guard. A thread that finds it locked spins, and yields if that takes long: the
/// holder may be waiting for this processor.
class BriefLock {
 public:
  void lock() noexcept {
    for (int looks = 0; is_taken_.test_and_set(std::memory_order_acquire); ++looks)
      if (looks >= 100) std::this_thread::yield();
  }
  void unlock() noexcept { is_taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag is_taken_;
};

}  // namespace hasten::ahead
