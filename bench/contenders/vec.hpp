// Vectors of floats for the hand-written programs: GCC's vector extensions, and the few operations
// that they lack.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace contenders {

#if defined(__AVX512F__)
constexpr int lanes = 16;
#else
constexpr int lanes = 8;
#endif

typedef float Floats __attribute__((vector_size(4 * lanes)));
typedef int32_t Ints __attribute__((vector_size(4 * lanes)));
typedef uint32_t Words __attribute__((vector_size(4 * lanes)));

inline Floats load(const float* p) {
  Floats v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(float* p, Floats v) { std::memcpy(p, &v, sizeof v); }
inline void store(int32_t* p, Ints v) { std::memcpy(p, &v, sizeof v); }
inline Floats all(float x) { return x - Floats{}; }
inline Ints all_ints(int32_t x) { return x - Ints{}; }

inline float add_up(Floats v) {
  float total = 0;
  for (int l = 0; l < lanes; ++l) total += v[l];
  return total;
}
inline Floats absolute(Floats v) { return (Floats)((Words)v & 0x7fffffffu); }
inline Floats to_floats(Ints v) { return __builtin_convertvector(v, Floats); }
inline Ints counting() {
  Ints v{};
  for (int l = 0; l < lanes; ++l) v[l] = l;
  return v;
}

#if defined(__AVX512F__)
// `p` must be aligned to the vector. Call stream_fence() before another thread reads the data.
inline void stream(float* p, Floats v) { _mm512_stream_ps(p, (__m512)v); }
inline void stream_fence() { _mm_sfence(); }
inline Floats square_root(Floats v) { return (Floats)_mm512_sqrt_ps((__m512)v); }
inline Floats rough_rsqrt(Floats v) { return (Floats)_mm512_rsqrt14_ps((__m512)v); }
inline Floats rough_reciprocal(Floats v) { return (Floats)_mm512_rcp14_ps((__m512)v); }
inline Floats fused(Floats a, Floats b, Floats c) {
  return (Floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
inline Floats nearest(Floats v) {
  return (Floats)_mm512_roundscale_ps((__m512)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
using Mask = __mmask16;
inline Mask less(Floats a, Floats b) {
  return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
}
inline bool any(Mask m) { return m != 0; }
inline Mask either(Mask a, Mask b) { return static_cast<Mask>(a | b); }
inline Ints count_where(Mask m, Ints v) {
  return (Ints)_mm512_mask_add_epi32((__m512i)v, m, (__m512i)v, _mm512_set1_epi32(1));
}
#elif defined(__AVX2__)
inline void stream(float* p, Floats v) { _mm256_stream_ps(p, (__m256)v); }
inline void stream_fence() { _mm_sfence(); }
inline Floats square_root(Floats v) { return (Floats)_mm256_sqrt_ps((__m256)v); }
inline Floats rough_rsqrt(Floats v) { return (Floats)_mm256_rsqrt_ps((__m256)v); }
inline Floats rough_reciprocal(Floats v) { return (Floats)_mm256_rcp_ps((__m256)v); }
inline Floats fused(Floats a, Floats b, Floats c) {
  return (Floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
inline Floats nearest(Floats v) {
  return (Floats)_mm256_round_ps((__m256)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
using Mask = Ints;
inline Mask less(Floats a, Floats b) { return a < b; }
inline bool any(Mask m) { return _mm256_movemask_ps((__m256)m) != 0; }
inline Mask either(Mask a, Mask b) { return a | b; }
inline Ints count_where(Mask m, Ints v) { return v - m; }
#else
#error "the hand-written programs need AVX2 or AVX-512; compile them with -march=native"
#endif

// Library functions; their arithmetic is fused whatever the rules of the calling program.
//
// One Newton step makes the rough results accurate to one or two ulps.
inline Floats fast_rsqrt(Floats v) {
  const Floats y = rough_rsqrt(v);
  return fused(0.5f * y, fused(-v * y, y, all(1.0f)), y);
}
inline Floats fast_reciprocal(Floats v) {
  const Floats y = rough_reciprocal(v);
  return fused(y, fused(-v, y, all(1.0f)), y);
}

// Polynomials after Cephes; arguments are assumed finite and results normal.
inline Floats polynomial_exp(Floats x) {
  const Floats n = nearest(x * 1.44269504088896341f);
  const Floats r = fused(n, all(2.12194440e-4f), fused(n, all(-0.693359375f), x));
  Floats p = all(1.9875691500e-4f);
  p = fused(p, r, all(1.3981999507e-3f));
  p = fused(p, r, all(8.3334519073e-3f));
  p = fused(p, r, all(4.1665795894e-2f));
  p = fused(p, r, all(1.6666665459e-1f));
  p = fused(p, r, all(5.0000001201e-1f));
  const Floats e = fused(p, r * r, r + 1.0f);
  const Ints scale = (__builtin_convertvector(n, Ints) + 127) << 23;
  // Below the smallest normal number the scale would wrap; such results become zero.
  return n < -126.0f ? Floats{} : e * (Floats)scale;
}

inline Floats polynomial_log(Floats x) {
  const Words bits = (Words)x;
  // Moves the exponent's border so that the mantissa is in [sqrt(1/2), sqrt(2)).
  const Ints exponent = (Ints)(bits - 0x3f3504f3u) >> 23;
  const Floats m = (Floats)(bits - ((Words)exponent << 23)) - 1.0f;
  const Floats e = to_floats(exponent);
  const Floats m2 = m * m;
  Floats p = all(7.0376836292e-2f);
  p = fused(p, m, all(-1.1514610310e-1f));
  p = fused(p, m, all(1.1676998740e-1f));
  p = fused(p, m, all(-1.2420140846e-1f));
  p = fused(p, m, all(1.4249322787e-1f));
  p = fused(p, m, all(-1.6668057665e-1f));
  p = fused(p, m, all(2.0000714765e-1f));
  p = fused(p, m, all(-2.4999993993e-1f));
  p = fused(p, m, all(3.3333331174e-1f));
  const Floats low = fused(p * m, m2, fused(e, all(-2.12194440e-4f), -0.5f * m2));
  return fused(e, all(0.693359375f), m + low);
}

}  // namespace contenders
