// Sums by key: in order on one thread, or private sums for each thread, which are added up.
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <vector>

#include "collectives.hpp"
#include "parallel.hpp"

namespace contenders {
namespace {

constexpr int64_t keys_block = 1 << 18;

void add(const int32_t* keys, const float* x, float* sums, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sums[keys[i]] += x[i];
}

void in_order(const int32_t* keys, const float* x, float* sums, int64_t bins, int64_t n) {
  std::fill(sums, sums + bins, 0.0f);
  add(keys, x, sums, n);
}

void private_sums(const int32_t* keys, const float* x, float* sums, int64_t bins, int64_t n) {
  tbb::enumerable_thread_specific<std::vector<float>> own(
      [&] { return std::vector<float>(static_cast<std::size_t>(bins)); });
  parallel_blocks(n, keys_block, [&](int64_t begin, int64_t end) {
    add(keys + begin, x + begin, own.local().data(), end - begin);
  });
  std::fill(sums, sums + bins, 0.0f);
  for (const auto& mine : own)
    for (std::size_t i = 0; i < mine.size(); ++i) sums[i] += mine[i];
}

}  // namespace

std::vector<Named<void(const int32_t*, const float*, float*, int64_t, int64_t)>> scatter_adds() {
  return {{"in-order", Rules::strict, in_order}, {"private-sums", Rules::any, private_sums}};
}

}  // namespace contenders
