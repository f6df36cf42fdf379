// The limits of this machine; see limits.hpp.
#include "limits.hpp"

#include <tbb/task_arena.h>

#include <atomic>

#include "hand/hand.hpp"
#include "inputs.hpp"
#include "parallel.hpp"
#include "vec.hpp"

namespace contenders {
namespace {

constexpr int64_t elements = 20'000'000;  // 80 MB per array, beyond every known cache
constexpr int64_t block = 1 << 16;
constexpr double array_bytes = 4.0 * elements;

// Allocated at first use and kept: limits are measured beside many cases.
struct Arrays {
  Buffer<float> x = random_floats(elements, 0, 1, 8);
  Buffer<float> y = random_floats(elements, 0, 1, 9);
  Buffer<float> out = random_floats(elements, 0, 1, 10);
};
const Arrays& arrays() {
  static const Arrays kept;
  return kept;
}

// Keeps results from being optimised away.
std::atomic<double> sink;

void copy(const float* from, float* to, int64_t n) {
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) store(to + i, load(from + i));
  for (; i < n; ++i) to[i] = from[i];
}

// Blocks of aligned buffers are aligned, and all but the last consist of whole vectors.
void copy_stream(const float* from, float* to, int64_t n) {
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) stream(to + i, load(from + i));
  for (; i < n; ++i) to[i] = from[i];
  stream_fence();
}

template <class F>
std::function<void()> over_blocks(F f) {
  (void)arrays();
  return [f] { parallel_blocks(elements, block, f); };
}

constexpr int chains = 12;  // independent, so that latency does not matter
// About ten milliseconds: a burst too short to be disturbed would flatter the machine.
constexpr int64_t fma_steps = 1'000'000;
constexpr int64_t fma_blocks_per_thread = 4;

template <class Vector>
double multiply_add() {
  Vector v[chains];
  for (int c = 0; c < chains; ++c) v[c] = Vector{} + (1.0f + static_cast<float>(c));
  const Vector factor = Vector{} + 0.999f, term = Vector{} + 0.001f;
  for (int64_t i = 0; i < fma_steps; ++i) {
#pragma GCC unroll 16
    for (int c = 0; c < chains; ++c) v[c] = v[c] * factor + term;
  }
  Vector total{};
  for (const Vector& each : v) total += each;
  return static_cast<double>(total[0]);
}

typedef double Doubles __attribute__((vector_size(4 * lanes)));

template <class Vector>
Limit limit_fma(const char* name, Resource resource, int width) {
  const int64_t blocks = fma_blocks_per_thread * tbb::this_task_arena::max_concurrency();
  const auto operations =
      static_cast<double>(blocks) * static_cast<double>(fma_steps) * chains * width * 2;
  return {name, resource, operations, [blocks] {
            parallel_blocks(blocks, 1, [](int64_t, int64_t) { sink = multiply_add<Vector>(); });
          }};
}

}  // namespace

Limit limit_read() {
  return {"read", Resource::bandwidth, array_bytes, over_blocks([](int64_t begin, int64_t end) {
            sink = hand::sum(arrays().x.data() + begin, end - begin);
          })};
}

Limit limit_copy() {
  return {"copy", Resource::bandwidth, 2 * array_bytes, over_blocks([](int64_t begin, int64_t end) {
            copy(arrays().x.data() + begin, arrays().out.data() + begin, end - begin);
          })};
}

Limit limit_copy_stream() {
  return {"copy-stream", Resource::bandwidth, 2 * array_bytes,
          over_blocks([](int64_t begin, int64_t end) {
            copy_stream(arrays().x.data() + begin, arrays().out.data() + begin, end - begin);
          })};
}

Limit limit_triad() {
  return {"triad", Resource::bandwidth, 3 * array_bytes,
          over_blocks([](int64_t begin, int64_t end) {
            const Arrays& a = arrays();
            hand::saxpy(3.0f, a.x.data() + begin, a.y.data() + begin, a.out.data() + begin,
                        end - begin);
          })};
}

Limit limit_triad_stream() {
  return {"triad-stream", Resource::bandwidth, 3 * array_bytes,
          over_blocks([](int64_t begin, int64_t end) {
            const Arrays& a = arrays();
            hand::saxpy_stream(3.0f, a.x.data() + begin, a.y.data() + begin, a.out.data() + begin,
                               end - begin);
          })};
}

Limit limit_fma_f32() { return limit_fma<Floats>("fma-f32", Resource::f32, lanes); }
Limit limit_fma_f64() { return limit_fma<Doubles>("fma-f64", Resource::f64, lanes / 2); }

std::vector<Limit> all_limits() {
  return {limit_read(),         limit_copy(),    limit_copy_stream(), limit_triad(),
          limit_triad_stream(), limit_fma_f32(), limit_fma_f64()};
}

}  // namespace contenders
