// Two readings of both clocks determine the length of a tick: a millisecond apart to one part in
// ten thousand, which is kept; the first calls of a process do not wait for that, and know it to
// one part in a hundred.
#include "support/ticks.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace hasten::support {
namespace {

bool has_even_counter() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned leaf = 0x80000007, invariant_counter = 1U << 8;
  return __get_cpuid(leaf, &a, &b, &c, &d) != 0 && (d & invariant_counter) != 0;
#else
  return false;
#endif
}

struct Reading {
  std::int64_t ticks;
  std::chrono::steady_clock::time_point time;
};

// The first of two close readings: the thread may be preempted in between.
Reading read() {
  Reading best{};
  std::int64_t closest = -1;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t before = ticks();
    const auto time = std::chrono::steady_clock::now();
    const std::int64_t after = ticks();
    if (closest >= 0 && after - before >= closest) continue;
    closest = after - before;
    best = {before + closest / 2, time};
  }
  return best;
}

}  // namespace

const bool counter_is_a_clock = has_even_counter();

namespace {
const Reading at_start = read();
}

std::atomic<double> known_unit{0};

double nanoseconds_per_tick() {
  if (!counter_is_a_clock) return 1;
  constexpr std::chrono::microseconds least(5), enough(1000);
  Reading now = read();
  while (now.time - at_start.time < least) now = read();
  const std::chrono::duration<double, std::nano> passed = now.time - at_start.time;
  const double unit = passed.count() / static_cast<double>(now.ticks - at_start.ticks);
  if (passed >= enough) known_unit.store(unit, std::memory_order_relaxed);
  return unit;
}

}  // namespace hasten::support
