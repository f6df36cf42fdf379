// Measures several programs in turns, so that a drift of the machine affects all of them.
#pragma once

#include <functional>
#include <vector>

namespace contenders {

struct Measured {
  double median_ms, best_ms;
};

// Runs all programs once to warm up, then `rounds` times in turns. Each round has another order, so
// no program always follows the one that leaves most of the data in the caches. Short runs are
// repeated until they fill a millisecond.
std::vector<Measured> measure_interleaved(const std::vector<std::function<void()>>& programs,
                                          int rounds);

// Milliseconds of one run.
double milliseconds(const std::function<void()>& program);

}  // namespace contenders
