// Histograms: private bins for each thread, in several copies, so that an addition need not wait
// for the previous addition to the same bin.
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <vector>

#include "collectives.hpp"
#include "parallel.hpp"

namespace contenders {
namespace {

constexpr int64_t keys_block = 1 << 18;

template <int64_t sets>
void count(const int32_t* keys, int64_t n, int32_t* bins, int64_t bin_count) {
  int64_t i = 0;
  for (; i + sets <= n; i += sets)
    for (int64_t s = 0; s < sets; ++s) ++bins[s * bin_count + keys[i + s]];
  for (; i < n; ++i) ++bins[keys[i]];
}

template <int64_t sets>
void histogram(const int32_t* keys, int64_t* counts, int64_t bins, int64_t n) {
  tbb::enumerable_thread_specific<std::vector<int32_t>> own(
      [&] { return std::vector<int32_t>(static_cast<std::size_t>(sets * bins)); });
  parallel_blocks(n, keys_block, [&](int64_t begin, int64_t end) {
    count<sets>(keys + begin, end - begin, own.local().data(), bins);
  });
  std::fill(counts, counts + bins, 0);
  for (const auto& mine : own)
    for (std::size_t i = 0; i < mine.size(); ++i) counts[static_cast<int64_t>(i) % bins] += mine[i];
}

}  // namespace

std::vector<Named<void(const int32_t*, int64_t*, int64_t, int64_t)>> histograms() {
  return {{"hand", Rules::strict, histogram<1>}, {"hand-4-sets", Rules::strict, histogram<4>}};
}

}  // namespace contenders
