// Filter: counts each block, then compresses it to where its results begin.
#include <vector>

#include "collectives.hpp"
#include "parallel.hpp"
#include "vec.hpp"

namespace contenders {
namespace {

constexpr int64_t filter_block = 1 << 15;

int64_t count_positive(const int32_t* x, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += x[i] > 0;
  return count;
}

// May write up to a vector beyond the kept elements, but never beyond `end`.
void keep_positive(const int32_t* x, int64_t n, int32_t* out, const int32_t* end) {
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + lanes <= n && out + lanes <= end; i += lanes) {
    const __m512i v = _mm512_loadu_si512(x + i);
    const __mmask16 kept = _mm512_cmpgt_epi32_mask(v, _mm512_setzero_si512());
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(kept, v));
    out += __builtin_popcount(kept);
  }
#endif
  for (; i < n; ++i)
    if (x[i] > 0 && out < end) *out++ = x[i];
}

int64_t filter(const int32_t* x, int32_t* out, int64_t n) {
  const int64_t blocks = (n + filter_block - 1) / filter_block;
  std::vector<int64_t> begins(static_cast<std::size_t>(blocks + 1));
  const auto block = [&](int64_t begin) { return static_cast<std::size_t>(begin / filter_block); };
  parallel_blocks(n, filter_block, [&](int64_t begin, int64_t end) {
    begins[block(begin) + 1] = count_positive(x + begin, end - begin);
  });
  for (std::size_t b = 1; b < begins.size(); ++b) begins[b] += begins[b - 1];
  parallel_blocks(n, filter_block, [&](int64_t begin, int64_t end) {
    keep_positive(x + begin, end - begin, out + begins[block(begin)],
                  out + begins[block(begin) + 1]);
  });
  return begins.back();
}

}  // namespace

std::vector<Named<int64_t(const int32_t*, int32_t*, int64_t)>> filters() {
  return {{"hand", Rules::strict, filter}};
}

}  // namespace contenders
