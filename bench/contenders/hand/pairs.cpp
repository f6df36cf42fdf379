// Two results for each number, side by side, with explicit vectors that are stored past the caches.
#include <cstdint>

#include "collectives.hpp"
#include "parallel.hpp"
#include "vec.hpp"

namespace contenders {
namespace {

constexpr int64_t block = 1 << 16, ahead = 512;

// The lanes that interleave the lower, or the upper, halves of two vectors.
Ints interleaving(int first) {
  Ints places{};
  for (int l = 0; l < lanes; ++l) places[l] = first + l / 2 + (l % 2) * lanes;
  return places;
}

template <bool prefetch>
void pairs(const float* x, float* out, int64_t begin, int64_t end) {
  const Ints lower = interleaving(0), upper = interleaving(lanes / 2);
  int64_t i = begin;
  const auto one = [&] {
    out[2 * i] = x[i] + 1.0f;
    out[2 * i + 1] = x[i] * 0.5f;
    ++i;
  };
  while (i < end && reinterpret_cast<uintptr_t>(out + 2 * i) % sizeof(Floats) != 0) one();
  for (; i + lanes <= end; i += lanes) {
    if (prefetch) __builtin_prefetch(x + i + ahead);
    const Floats number = load(x + i), a = number + 1.0f, b = number * 0.5f;
    stream(out + 2 * i, __builtin_shuffle(a, b, lower));
    stream(out + 2 * i + lanes, __builtin_shuffle(a, b, upper));
  }
  while (i < end) one();
  stream_fence();
}

template <bool prefetch>
void on_all_threads(const float* x, float* out, int64_t n) {
  parallel_blocks(n, block,
                  [=](int64_t begin, int64_t end) { pairs<prefetch>(x, out, begin, end); });
}

}  // namespace

std::vector<Named<void(const float*, float*, int64_t)>> pairs_side_by_side() {
  return {{"hand-stream", Rules::strict, on_all_threads<false>},
          {"hand-stream-prefetch", Rules::strict, on_all_threads<true>}};
}

}  // namespace contenders
