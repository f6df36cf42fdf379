// Sum, dot product and saxpy with explicit vectors.
#include "hand/hand.hpp"
#include "vec.hpp"

namespace contenders::CONTENDER_HAND {
namespace {

// Independent accumulators: enough to hide the latency of a fused multiply-add on two ports.
constexpr int accumulators = 8;
constexpr int64_t step = accumulators * lanes;

float finish(const Floats (&partial)[accumulators]) {
  Floats total{};
  for (const Floats& p : partial) total += p;
  return add_up(total);
}

}  // namespace

float sum(const float* x, int64_t n) {
  Floats partial[accumulators] = {};
  int64_t i = 0;
  for (; i + step <= n; i += step)
    for (int a = 0; a < accumulators; ++a) partial[a] += load(x + i + a * lanes);
  float rest = 0;
  for (; i < n; ++i) rest += x[i];
  return finish(partial) + rest;
}

float dot(const float* x, const float* y, int64_t n) {
  Floats partial[accumulators] = {};
  int64_t i = 0;
  for (; i + step <= n; i += step)
    for (int a = 0; a < accumulators; ++a)
      partial[a] += load(x + i + a * lanes) * load(y + i + a * lanes);
  float rest = 0;
  for (; i < n; ++i) rest += x[i] * y[i];
  return finish(partial) + rest;
}

float dot_prefetch(const float* x, const float* y, int64_t n) {
  constexpr int64_t ahead = 1024;  // elements; hardware prefetchers stop at page borders
  Floats partial[accumulators] = {};
  int64_t i = 0;
  for (; i + step <= n; i += step)
    for (int a = 0; a < accumulators; ++a) {
      __builtin_prefetch(x + i + a * lanes + ahead);
      __builtin_prefetch(y + i + a * lanes + ahead);
      partial[a] += load(x + i + a * lanes) * load(y + i + a * lanes);
    }
  float rest = 0;
  for (; i < n; ++i) rest += x[i] * y[i];
  return finish(partial) + rest;
}

void saxpy(float a, const float* x, const float* y, float* out, int64_t n) {
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) store(out + i, a * load(x + i) + load(y + i));
  for (; i < n; ++i) out[i] = a * x[i] + y[i];
}

void saxpy_stream(float a, const float* x, const float* y, float* out, int64_t n) {
  int64_t i = 0;
  for (; i < n && reinterpret_cast<uintptr_t>(out + i) % sizeof(Floats) != 0; ++i)
    out[i] = a * x[i] + y[i];
  for (; i + lanes <= n; i += lanes) stream(out + i, a * load(x + i) + load(y + i));
  for (; i < n; ++i) out[i] = a * x[i] + y[i];
  stream_fence();
}

}  // namespace contenders::CONTENDER_HAND
