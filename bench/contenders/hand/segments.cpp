// Sums of segments, each by vectors with a masked remainder.
#include "collectives.hpp"
#include "parallel.hpp"
#include "vec.hpp"

namespace contenders {
namespace {

constexpr int64_t segments_block = 1024;

float segment_sum(const float* x, int64_t n) {
  int64_t i = 0;
  Floats sum{};
  for (; i + lanes <= n; i += lanes) sum += load(x + i);
#if defined(__AVX512F__)
  const auto rest = static_cast<__mmask16>((1u << (n - i)) - 1);
  return _mm512_reduce_add_ps((__m512)(sum + (Floats)_mm512_maskz_loadu_ps(rest, x + i)));
#else
  float total = add_up(sum);
  for (; i < n; ++i) total += x[i];
  return total;
#endif
}

void segmented(const float* x, const int64_t* offsets, float* out, int64_t segments) {
  parallel_blocks(segments, segments_block, [=](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s)
      out[s] = segment_sum(x + offsets[s], offsets[s + 1] - offsets[s]);
  });
}

}  // namespace

std::vector<Named<void(const float*, const int64_t*, float*, int64_t)>> segmented_sums() {
  return {{"hand", Rules::strict, segmented}};
}

}  // namespace contenders
