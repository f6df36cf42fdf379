// Operations on 512-bit vectors of words that the vector sort needs. Each function is compiled for
// AVX-512 by itself, so that no other code of a unit is.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace hasten::backends::cpu {

using Vector512 = __m512i;

/// Only what partitions need: 256-bit vectors are as fast in networks of such words.
struct Lanes32 {
  using Word = std::uint32_t;
  using Mask = __mmask16;
  static constexpr int count = 16;
  static constexpr Mask every =
      0xFFFF;  // GCC 12 warns of what intrinsics without a mask leave open

  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 load(const Word* from) {
    return _mm512_loadu_si512(from);
  }
  /// Lanes that are off hold the largest word.
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 load(const Word* from,
                                                                              Mask on) {
    return _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), on, from);
  }
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void store(Word* to, Vector512 x) {
    _mm512_storeu_si512(to, x);
  }
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void store(Word* to, Mask on,
                                                                          Vector512 x) {
    _mm512_mask_storeu_epi32(to, on, x);
  }
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 all(Word x) {
    return _mm512_set1_epi32(static_cast<int>(x));
  }
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Mask less(Vector512 a, Vector512 b) {
    return _mm512_cmplt_epu32_mask(a, b);
  }
  /// The lanes that are on, moved to the beginning. Some processors compress slowly to memory.
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 compressed(Vector512 x,
                                                                                    Mask on) {
    return _mm512_maskz_compress_epi32(on, x);
  }
};

struct Lanes64 {
  using Word = std::uint64_t;
  using Mask = __mmask8;
  static constexpr int count = 8;
  static constexpr Mask every = 0xFF;

  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 load(const Word* from) {
    return _mm512_loadu_si512(from);
  }
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 load(const Word* from,
                                                                              Mask on) {
    return _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), on, from);
  }
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void store(Word* to, Vector512 x) {
    _mm512_storeu_si512(to, x);
  }
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void store(Word* to, Mask on,
                                                                          Vector512 x) {
    _mm512_mask_storeu_epi64(to, on, x);
  }
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 all(Word x) {
    return _mm512_set1_epi64(static_cast<long long>(x));
  }
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Mask less(Vector512 a, Vector512 b) {
    return _mm512_cmplt_epu64_mask(a, b);
  }
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 min(Vector512 a,
                                                                             Vector512 b) {
    return _mm512_maskz_min_epu64(every, a, b);
  }
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 max(Vector512 a,
                                                                             Vector512 b) {
    return _mm512_maskz_max_epu64(every, a, b);
  }
  /// The maximum of a and b in lanes that are on, else `least`.
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 max_where(Vector512 least,
                                                                                   Mask on,
                                                                                   Vector512 a,
                                                                                   Vector512 b) {
    return _mm512_mask_max_epu64(least, on, a, b);
  }
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 compressed(Vector512 x,
                                                                                    Mask on) {
    return _mm512_maskz_compress_epi64(on, x);
  }
  /// Lane l of the result is lane l ^ flips.
  template <int flips>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 flipped(Vector512 x) {
    const Vector512 order =
        _mm512_xor_si512(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(flips));
    return _mm512_maskz_permutexvar_epi64(every, order, x);
  }
};

}  // namespace hasten::backends::cpu
