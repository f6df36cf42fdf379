// Times by the processor's counter agree with the system's clock.
#include "support/ticks.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace hasten::support {
namespace {

using Clock = std::chrono::steady_clock;

TEST(Ticks, AgreeWithTheClock) {
  const auto clock_before = Clock::now();
  const std::int64_t start = ticks();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::int64_t end = ticks();
  const auto clock_after = Clock::now();
  const std::chrono::duration<double, std::nano> passed = clock_after - clock_before;
  const auto measured = static_cast<double>(nanoseconds_between(start, end));
  EXPECT_LE(measured, passed.count() * 1.01);
  EXPECT_GE(measured, 20e6 * 0.99);
}

TEST(Ticks, TheUnitIsKeptAfterAMillisecond) {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const double unit = nanoseconds_per_tick();
  EXPECT_GT(unit, 0);
  if (!counter_is_a_clock) GTEST_SKIP() << "this processor's counter is no clock";
  EXPECT_NEAR(known_unit.load() / unit, 1, 1e-2);
}

}  // namespace
}  // namespace hasten::support
