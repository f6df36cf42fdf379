// Measuring several programs in turns, so that a machine that drifts drifts for all of them.
#pragma once

#include <functional>
#include <vector>

namespace contenders {

struct Measured {
  double median_ms, best_ms;
};

// Runs all once to warm up, then `rounds` times in turns, each round in another order: nobody
// always runs after the one who leaves most of the data in the caches. Short runs are repeated
// until they fill a millisecond.
std::vector<Measured> measure_interleaved(const std::vector<std::function<void()>>& programs,
                                          int rounds);

// Milliseconds that one run takes.
double milliseconds(const std::function<void()>& program);

}  // namespace contenders
