// Threads for the hand-written programs: dynamic blocks over oneTBB.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <cstdint>

namespace contenders {

// Calls f(begin, end) for consecutive blocks of `block` elements. Blocks are handed out one at a
// time, so a core that the machine takes away for a while does not delay the rest.
template <class F>
void parallel_blocks(int64_t n, int64_t block, const F& f) {
  const int64_t blocks = (n + block - 1) / block;
  tbb::parallel_for(
      tbb::blocked_range<int64_t>(0, blocks, 1),
      [&](const tbb::blocked_range<int64_t>& range) {
        for (int64_t b = range.begin(); b != range.end(); ++b)
          f(b * block, std::min(n, (b + 1) * block));
      },
      tbb::simple_partitioner());
}

}  // namespace contenders
