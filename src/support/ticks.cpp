// Two readings of both clocks, a millisecond apart at least, tell how long a tick is: to a part in
// ten thousand.
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

// The first of two that are close: the thread may be put aside in between.
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

double nanoseconds_per_tick() {
  if (!counter_is_a_clock) return 1;
  constexpr auto enough = std::chrono::milliseconds(1);
  Reading now = read();
  while (now.time - at_start.time < enough) now = read();
  const std::chrono::duration<double, std::nano> passed = now.time - at_start.time;
  return passed.count() / static_cast<double>(now.ticks - at_start.ticks);
}

}  // namespace hasten::support
