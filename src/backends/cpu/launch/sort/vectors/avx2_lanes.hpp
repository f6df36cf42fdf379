// Operations on 256-bit vectors of words that the vector sort needs. Each function is compiled for
// AVX2 by itself, so that no other code of a unit is.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace hasten::backends::cpu {

using Vector256 = __m256i;

/// By the mask of some of `count` lanes: the numbers of these lanes and then of the others, in
/// digits of four bits from the lowest on. Lanes are numbered by their parts of 32 bits, because
/// AVX2 moves only such freely.
template <int count>
inline constexpr std::array<std::uint32_t, std::size_t{1} << count> lanes_apart = [] {
  std::array<std::uint32_t, std::size_t{1} << count> all{};
  constexpr int parts = 8 / count;
  for (std::size_t mask = 0; mask < all.size(); ++mask) {
    int at = 0;
    for (const std::size_t wanted : {std::size_t{1}, std::size_t{0}})
      for (int lane = 0; lane < count; ++lane)
        for (int part = 0; (mask >> lane & 1) == wanted && part < parts; ++part)
          all[mask] |= static_cast<std::uint32_t>(lane * parts + part) << 4 * at++;
  }
  return all;
}();

/// What lanes of both sizes have.
struct Lanes256 {
  /// The lanes whose bits are set in `mask`, followed by the others.
  template <int count>
  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 apart(Vector256 x, int mask) {
    const auto order = lanes_apart<count>[static_cast<std::size_t>(mask)];
    const Vector256 shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    return _mm256_permutevar8x32_epi32(
        x, _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(order)), shifts));
  }

  /// All bits of the first `parts` parts of 32 bits, which may be less than none or more than all.
  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 first_parts(
      std::int64_t parts) {
    const Vector256 numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const auto some = static_cast<int>(std::clamp<std::int64_t>(parts, 0, 8));
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(some), numbers);
  }

  // The lower halves of two vectors, and the upper ones.
  [[gnu::target("avx2"), gnu::always_inline]] static inline void exchange_halves(Vector256& a,
                                                                                 Vector256& b) {
    const Vector256 low = _mm256_permute2x128_si256(a, b, 0x20);
    b = _mm256_permute2x128_si256(a, b, 0x31);
    a = low;
  }
  // Pairs of parts of a and b in turn, of the lower pairs of each half, and of the upper ones.
  [[gnu::target("avx2"), gnu::always_inline]] static inline void exchange_pairs(Vector256& a,
                                                                                Vector256& b) {
    const Vector256 low = _mm256_unpacklo_epi64(a, b);
    b = _mm256_unpackhi_epi64(a, b);
    a = low;
  }
};

/// Words are ordinary numbers in vectors, too.
struct Lanes32By8 : Lanes256 {
  using Word = std::uint32_t;
  static constexpr int count = 8;

  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 load(const Word* from) {
    return _mm256_loadu_si256(reinterpret_cast<const Vector256*>(from));
  }
  /// Lanes from n on hold the largest word.
  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 load_some(const Word* from,
                                                                                std::int64_t n) {
    const Vector256 on = first_parts(n), every = _mm256_set1_epi32(-1);
    return _mm256_blendv_epi8(every, _mm256_maskload_epi32(reinterpret_cast<const int*>(from), on),
                              on);
  }
  [[gnu::target("avx2"), gnu::always_inline]] static inline void store(Word* to, Vector256 x) {
    _mm256_storeu_si256(reinterpret_cast<Vector256*>(to), x);
  }

  /// The pivot, as `below` compares with it.
  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 bound(Word pivot) {
    return _mm256_set1_epi32(static_cast<int>(pivot ^ sign));
  }
  /// The mask of lanes below.
  [[gnu::target("avx2"), gnu::always_inline]] static inline int below(Vector256 x,
                                                                      Vector256 pivot) {
    const Vector256 flipped_sign = _mm256_xor_si256(x, _mm256_set1_epi32(static_cast<int>(sign)));
    return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(pivot, flipped_sign)));
  }

  [[gnu::target("avx2"), gnu::always_inline]] static inline void put_in_order(Vector256& a,
                                                                              Vector256& b) {
    const Vector256 least = _mm256_min_epu32(a, b);
    b = _mm256_max_epu32(a, b);
    a = least;
  }
  /// Lane l of the result is lane l ^ flips.
  template <int flips>
  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 flipped(Vector256 x) {
    static_assert(flips > 0 && flips < count);
    constexpr int by_part = (flips & 3) == 1 ? 0xB1 : (flips & 3) == 2 ? 0x4E : 0x1B;
    if constexpr ((flips & 3) != 0) x = _mm256_shuffle_epi32(x, by_part);
    if constexpr ((flips & 4) != 0) x = _mm256_permute2x128_si256(x, x, 1);
    return x;
  }
  /// Lanes l of b for which l & bit, the other lanes of a.
  template <int bit>
  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 chosen(Vector256 a,
                                                                             Vector256 b) {
    return _mm256_blend_epi32(a, b, bit == 1 ? 0xAA : bit == 2 ? 0xCC : 0xF0);
  }
  /// Compares lanes l without the bit with l + bit, in both vectors.
  template <int bit>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void compare_lanes(Vector256& a,
                                                                               Vector256& b) {
    if constexpr (bit == 4) {
      exchange_halves(a, b);
      put_in_order(a, b);
      exchange_halves(a, b);
    } else if constexpr (bit == 2) {
      exchange_pairs(a, b);
      put_in_order(a, b);
      exchange_pairs(a, b);
    } else {
      Vector256 low = shuffled<0x88>(a, b), high = shuffled<0xDD>(a, b);
      put_in_order(low, high);
      a = _mm256_unpacklo_epi32(low, high);
      b = _mm256_unpackhi_epi32(low, high);
    }
  }

  /// The lanes in the order of columns, of as many rows as vectors.
  [[gnu::target("avx2"), gnu::always_inline]] static inline void transpose(Vector256 (&v)[1]) {
    (void)v;
  }
  [[gnu::target("avx2"), gnu::always_inline]] static inline void transpose(Vector256 (&v)[2]) {
    interleave(v[0], v[1]);
    exchange_halves(v[0], v[1]);
  }
  [[gnu::target("avx2"), gnu::always_inline]] static inline void transpose(Vector256 (&v)[4]) {
    transpose_halves(v[0], v[1], v[2], v[3]);
    exchange_halves(v[0], v[1]);
    exchange_halves(v[2], v[3]);
    std::swap(v[1], v[2]);
  }
  [[gnu::target("avx2"), gnu::always_inline]] static inline void transpose(Vector256 (&v)[8]) {
    transpose_halves(v[0], v[1], v[2], v[3]);
    transpose_halves(v[4], v[5], v[6], v[7]);
    exchange_halves(v[0], v[4]);
    exchange_halves(v[1], v[5]);
    exchange_halves(v[2], v[6]);
    exchange_halves(v[3], v[7]);
  }

 private:
  static constexpr Word sign = Word{1} << 31;

  template <int lanes>
  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 shuffled(Vector256 a,
                                                                               Vector256 b) {
    return _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), lanes));
  }
  // Lanes of a and b in turn: of the lower pairs of each half, and of the upper ones.
  [[gnu::target("avx2"), gnu::always_inline]] static inline void interleave(Vector256& a,
                                                                            Vector256& b) {
    const Vector256 low = _mm256_unpacklo_epi32(a, b);
    b = _mm256_unpackhi_epi32(a, b);
    a = low;
  }
  // Vector l gets columns l and l + 4.
  [[gnu::target("avx2"), gnu::always_inline]] static inline void transpose_halves(Vector256& a,
                                                                                  Vector256& b,
                                                                                  Vector256& c,
                                                                                  Vector256& d) {
    interleave(a, b);
    interleave(c, d);
    exchange_pairs(a, c);  // columns 0 and 4, 1 and 5
    exchange_pairs(b, d);  // 2 and 6, 3 and 7
    const Vector256 third = b;
    b = c;
    c = third;
  }
};

/// In vectors the highest bit is inverted, because AVX2 compares signed numbers.
struct Lanes64By4 : Lanes256 {
  using Word = std::uint64_t;
  static constexpr int count = 4;

  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 load(const Word* from) {
    return without_sign(_mm256_loadu_si256(reinterpret_cast<const Vector256*>(from)));
  }
  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 load_some(const Word* from,
                                                                                std::int64_t n) {
    const Vector256 on = first_parts(2 * n), every = _mm256_set1_epi32(-1);
    return without_sign(_mm256_blendv_epi8(
        every, _mm256_maskload_epi64(reinterpret_cast<const long long*>(from), on), on));
  }
  [[gnu::target("avx2"), gnu::always_inline]] static inline void store(Word* to, Vector256 x) {
    _mm256_storeu_si256(reinterpret_cast<Vector256*>(to), without_sign(x));
  }

  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 bound(Word pivot) {
    return without_sign(_mm256_set1_epi64x(static_cast<long long>(pivot)));
  }
  [[gnu::target("avx2"), gnu::always_inline]] static inline int below(Vector256 x,
                                                                      Vector256 pivot) {
    return _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(pivot, x)));
  }

  [[gnu::target("avx2"), gnu::always_inline]] static inline void put_in_order(Vector256& a,
                                                                              Vector256& b) {
    const __m256d greater = _mm256_castsi256_pd(_mm256_cmpgt_epi64(a, b)),
                  x = _mm256_castsi256_pd(a), y = _mm256_castsi256_pd(b);
    a = _mm256_castpd_si256(_mm256_blendv_pd(x, y, greater));
    b = _mm256_castpd_si256(_mm256_blendv_pd(y, x, greater));
  }
  template <int flips>
  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 flipped(Vector256 x) {
    static_assert(flips > 0 && flips < count);
    if constexpr (flips == 1) return _mm256_shuffle_epi32(x, 0x4E);
    return _mm256_permute4x64_epi64(x, flips == 2 ? 0x4E : 0x1B);
  }
  template <int bit>
  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 chosen(Vector256 a,
                                                                             Vector256 b) {
    return _mm256_blend_epi32(a, b, bit == 1 ? 0xCC : 0xF0);
  }
  template <int bit>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void compare_lanes(Vector256& a,
                                                                               Vector256& b) {
    if constexpr (bit == 2) {
      exchange_halves(a, b);
      put_in_order(a, b);
      exchange_halves(a, b);
    } else {
      exchange_pairs(a, b);
      put_in_order(a, b);
      exchange_pairs(a, b);
    }
  }

  [[gnu::target("avx2"), gnu::always_inline]] static inline void transpose(Vector256 (&v)[1]) {
    (void)v;
  }
  [[gnu::target("avx2"), gnu::always_inline]] static inline void transpose(Vector256 (&v)[2]) {
    exchange_pairs(v[0], v[1]);
    exchange_halves(v[0], v[1]);
  }
  [[gnu::target("avx2"), gnu::always_inline]] static inline void transpose(Vector256 (&v)[4]) {
    exchange_pairs(v[0], v[1]);
    exchange_pairs(v[2], v[3]);
    exchange_halves(v[0], v[2]);
    exchange_halves(v[1], v[3]);
  }

 private:
  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 without_sign(Vector256 x) {
    return _mm256_xor_si256(x, _mm256_set1_epi64x(std::numeric_limits<long long>::min()));
  }
};

}  // namespace hasten::backends::cpu
