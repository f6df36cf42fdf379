// Inclusive sums, block by block: each block is summed for the carry while it is loaded into the
// cache, then scanned in registers.
#include <atomic>
#include <vector>

#include "collectives.hpp"
#include "parallel.hpp"
#include "vec.hpp"

namespace contenders {
namespace {

constexpr int64_t scan_block = 1 << 15;  // elements: half of a level-two cache's share

float block_sum(const float* x, int64_t n) {
  Floats a{}, b{};
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) a += load(x + i), b += load(x + i + lanes);
  float sum = add_up(a + b);
  for (; i < n; ++i) sum += x[i];
  return sum;
}

// v[from[l]]
inline Floats permuted(Floats v, Ints from) {
#if defined(__AVX512F__)
  return (Floats)_mm512_permutexvar_ps((__m512i)from, (__m512)v);
#else
  return (Floats)_mm256_permutevar8x32_ps((__m256)v, (__m256i)from);
#endif
}

// v[l] + v[l - 1] + ... + v[0], in a logarithmic number of steps.
inline Floats prefix(Floats v) {
  for (int step = 1; step < lanes; step *= 2) {
    const Ints from = counting() - step;
    v += from >= 0 ? permuted(v, from) : Floats{};
  }
  return v;
}

template <bool streaming>
void scan_block_into(const float* x, float* out, int64_t n, float carry) {
  const Ints last = all_ints(lanes - 1);
  Floats before = all(carry);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Floats sums = prefix(load(x + i)) + before;
    if (streaming)
      stream(out + i, sums);
    else
      store(out + i, sums);
    before = permuted(sums, last);
  }
  float sum = before[0];
  for (; i < n; ++i) out[i] = sum += x[i];
  if (streaming) stream_fence();
}

template <bool streaming>
void chained(const float* x, float* out, int64_t n) {
  const int64_t blocks = (n + scan_block - 1) / scan_block;
  std::vector<float> carries(static_cast<std::size_t>(blocks + 1));
  std::atomic<int64_t> next{0}, known{0};
  tbb::parallel_for(0, tbb::this_task_arena::max_concurrency(), [&](int) {
    for (int64_t b = next++; b < blocks; b = next++) {
      const int64_t begin = b * scan_block, size = std::min(scan_block, n - begin);
      const float sum = block_sum(x + begin, size);
      while (known.load(std::memory_order_acquire) < b) {}
      const float carry = carries[static_cast<std::size_t>(b)];
      carries[static_cast<std::size_t>(b + 1)] = carry + sum;
      known.store(b + 1, std::memory_order_release);
      scan_block_into<streaming>(x + begin, out + begin, size, carry);
    }
  });
}

}  // namespace

std::vector<Named<void(const float*, float*, int64_t)>> scans() {
  return {{"hand", Rules::strict, chained<false>}, {"hand-stream", Rules::strict, chained<true>}};
}

}  // namespace contenders
