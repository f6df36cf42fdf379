// Scattering without collisions: directly, or first by regions of the target that fit in a cache.
#include <array>
#include <vector>

#include "buffer.hpp"
#include "collectives.hpp"
#include "parallel.hpp"

namespace contenders {
namespace {

constexpr int64_t permute_block = 1 << 16;

void direct(const float* x, const int32_t* target, float* out, int64_t n) {
  parallel_blocks(n, permute_block, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[target[i]] = x[i];
  });
}

struct Move {
  int32_t target;
  float value;
};

// Each thread partitions its part by region; then one thread fills each region.
void partitioned(const float* x, const int32_t* target, float* out, int64_t n) {
  constexpr int shift = 17;
  const auto regions = static_cast<std::size_t>((n >> shift) + 1);
  const int64_t parts = tbb::this_task_arena::max_concurrency();
  const Buffer<Move> moves(n);
  std::vector<std::vector<int64_t>> places(static_cast<std::size_t>(parts),
                                           std::vector<int64_t>(regions));
  const auto each_part = [&](const auto& f) {
    parallel_blocks(parts, 1, [&](int64_t part, int64_t) {
      f(places[static_cast<std::size_t>(part)], n * part / parts, n * (part + 1) / parts);
    });
  };
  each_part([&](std::vector<int64_t>& counts, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++counts[static_cast<std::size_t>(target[i] >> shift)];
  });
  std::vector<int64_t> begins(regions + 1);
  int64_t next = 0;
  for (std::size_t r = 0; r < regions; ++r) {
    begins[r] = next;
    for (auto& counts : places) {
      const int64_t count = counts[r];
      counts[r] = next;
      next += count;
    }
  }
  begins[regions] = next;
  each_part([&](std::vector<int64_t>& place, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      moves[place[static_cast<std::size_t>(target[i] >> shift)]++] = {target[i], x[i]};
  });
  parallel_blocks(static_cast<int64_t>(regions), 1, [&](int64_t r, int64_t) {
    const auto region = static_cast<std::size_t>(r);
    for (int64_t i = begins[region]; i < begins[region + 1]; ++i)
      out[moves[i].target] = moves[i].value;
  });
}

}  // namespace

std::vector<Named<void(const float*, const int32_t*, float*, int64_t)>> permutations() {
  return {{"hand", Rules::strict, direct}, {"hand-partitioned", Rules::strict, partitioned}};
}

}  // namespace contenders
