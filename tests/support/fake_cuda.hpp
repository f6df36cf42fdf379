// Control of the fake CUDA driver: tests ask it for faults and counts while programs run on it.
#pragma once

#include "tests/fake_cuda/control.hpp"
#include "tests/support/promise.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

namespace hasten::test {

/// Skipped on any other driver; see docs/testing.md.
class OnFakeCuda : public testing::Test {
 protected:
  void SetUp() override {
    const char* const file = std::getenv("HASTEN_CUDA_LIBRARY");
    library_ = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library_ || !dlsym(library_, "fake_cuda_counts")) {
      if (is_promised("cuda")) FAIL() << "HASTEN_CUDA_LIBRARY names no fake driver";
      GTEST_SKIP() << "HASTEN_CUDA_LIBRARY names no fake driver";
    }
    find("fake_cuda_fail", fail_);
    find("fake_cuda_reset", reset_);
    find("fake_cuda_counts", counts_);
    find("fake_cuda_hold", hold_);
    find("fake_cuda_release", release_);
  }
  void TearDown() override {
    if (!reset_) return;
    release_all();
    reset_();
  }

  [[nodiscard]] FakeCudaCounts counts() const {
    FakeCudaCounts now = {};
    counts_(&now);
    return now;
  }
  void fail(const char* kind, long long nth, long long times = 1) const {
    ASSERT_EQ(fail_(kind, nth, times), 1);
  }

  /// Replaces a device that failed by one that works.
  void reset() const { reset_(); }

  /// Launches that any thread enqueues during `f` wait until release_all().
  void holding(const std::function<void()>& f) const {
    hold_(1);
    f();
    hold_(0);
  }
  void release_all() const {
    hold_(0);
    release_();
  }
  /// Waits until so many launches are held; false if that does not happen in time.
  [[nodiscard]] bool are_held(long long launches) const {
    return becomes_true([&] { return counts().held >= launches; });
  }
  [[nodiscard]] static bool becomes_true(const std::function<bool()>& f) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!f()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

 private:
  template <class F>
  void find(const char* name, F& f) const {
    f = reinterpret_cast<F>(dlsym(library_, name));
  }

  void* library_ = nullptr;
  decltype(&fake_cuda_fail) fail_ = nullptr;
  decltype(&fake_cuda_reset) reset_ = nullptr;
  decltype(&fake_cuda_counts) counts_ = nullptr;
  decltype(&fake_cuda_hold) hold_ = nullptr;
  decltype(&fake_cuda_release) release_ = nullptr;
};

}  // namespace hasten::test
