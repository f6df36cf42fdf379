// Black-Scholes with explicit vectors: with its own polynomials, or with SLEEF's functions.
#ifdef CONTENDER_SLEEF
#include <immintrin.h>
#include <sleef.h>
#endif

#include "hand/hand.hpp"
#include "vec.hpp"

namespace contenders::CONTENDER_HAND {
namespace {

// The basic arithmetic of the code below, one policy per contender.
struct Exact {
  static Floats exp(Floats x) { return polynomial_exp(x); }
  static Floats log(Floats x) { return polynomial_log(x); }
  static Floats divide(Floats a, Floats b) { return a / b; }
  static Floats sqrt(Floats x) { return square_root(x); }
  static void put(float* p, Floats v) { store(p, v); }
};
struct Approximate : Exact {
  static Floats divide(Floats a, Floats b) { return a * fast_reciprocal(b); }
  static Floats sqrt(Floats x) { return x * fast_rsqrt(x); }
};
template <class P>
struct Streaming : P {
  static void put(float* p, Floats v) { stream(p, v); }
};
#ifdef CONTENDER_SLEEF
struct Sleef : Exact {
#if defined(__AVX512F__)
  static Floats exp(Floats x) { return (Floats)Sleef_expf16_u10avx512f((__m512)x); }
  static Floats log(Floats x) { return (Floats)Sleef_logf16_u10avx512f((__m512)x); }
#else
  static Floats exp(Floats x) { return (Floats)Sleef_expf8_u10avx2((__m256)x); }
  static Floats log(Floats x) { return (Floats)Sleef_logf8_u10avx2((__m256)x); }
#endif
};
#endif

template <class P>
inline Floats cumulative_normal(Floats d) {
  const Floats k = P::divide(all(1.0f), 1.0f + 0.2316419f * absolute(d));
  Floats poly = all(1.330274429f);
  poly = poly * k - 1.821255978f;
  poly = poly * k + 1.781477937f;
  poly = poly * k - 0.356563782f;
  poly = (poly * k + 0.31938153f) * k;
  const Floats tail = 0.39894228040143267794f * P::exp(-0.5f * d * d) * poly;
  return d > 0.0f ? 1.0f - tail : tail;
}

// Vectors that are priced together. The formula is one long dependency chain; a processor whose
// window is a few hundred instructions finds little other work unless a second chain runs beside
// it.
constexpr int together = 3;
constexpr int64_t step = together * lanes;
using Several = Floats[together];

template <class P>
inline void price(const Several& s, const Several& x, const Several& t, Several& call,
                  Several& put) {
  Several deviation, d1, n1, n2;
  for (int v = 0; v < together; ++v) {
    deviation[v] = volatility * P::sqrt(t[v]);
    const Floats drift = (riskless_rate + 0.5f * volatility * volatility) * t[v];
    d1[v] = P::divide(P::log(P::divide(s[v], x[v])) + drift, deviation[v]);
  }
  for (int v = 0; v < together; ++v) n1[v] = cumulative_normal<P>(d1[v]);
  for (int v = 0; v < together; ++v) n2[v] = cumulative_normal<P>(d1[v] - deviation[v]);
  for (int v = 0; v < together; ++v) {
    const Floats discounted = x[v] * P::exp(-riskless_rate * t[v]);
    call[v] = s[v] * n1[v] - discounted * n2[v];
    put[v] = discounted * (1.0f - n2[v]) - s[v] * (1.0f - n1[v]);
  }
}

// The last elements are computed in padded vectors.
template <class P>
void price_tail(OptionColumns in, PriceColumns out, int64_t begin, int64_t end) {
  Several s, x, t, call, put;
  for (int v = 0; v < together; ++v) s[v] = x[v] = t[v] = all(1.0f);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t v = (i - begin) / lanes, l = (i - begin) % lanes;
    s[v][l] = in.price[i];
    x[v][l] = in.strike[i];
    t[v][l] = in.years[i];
  }
  price<P>(s, x, t, call, put);
  for (int64_t i = begin; i < end; ++i) {
    out.call[i] = call[(i - begin) / lanes][(i - begin) % lanes];
    out.put[i] = put[(i - begin) / lanes][(i - begin) % lanes];
  }
}

template <class P>
void price_all(OptionColumns in, PriceColumns out, int64_t begin, int64_t end) {
  int64_t i = begin;
  for (; i + step <= end; i += step) {
    Several s, x, t, call, put;
    for (int v = 0; v < together; ++v) {
      s[v] = load(in.price + i + v * lanes);
      x[v] = load(in.strike + i + v * lanes);
      t[v] = load(in.years + i + v * lanes);
    }
    price<P>(s, x, t, call, put);
    for (int v = 0; v < together; ++v) {
      P::put(out.call + i + v * lanes, call[v]);
      P::put(out.put + i + v * lanes, put[v]);
    }
  }
  if (i < end) price_tail<P>(in, out, i, end);
}

}  // namespace

void black_scholes(OptionColumns in, PriceColumns out, int64_t begin, int64_t end) {
  price_all<Exact>(in, out, begin, end);
}

void black_scholes_approximate(OptionColumns in, PriceColumns out, int64_t begin, int64_t end) {
  price_all<Approximate>(in, out, begin, end);
}

void black_scholes_stream(OptionColumns in, PriceColumns out, int64_t begin, int64_t end) {
  price_all<Streaming<Exact>>(in, out, begin, end);
  stream_fence();
}

void black_scholes_approximate_stream(OptionColumns in, PriceColumns out, int64_t begin,
                                      int64_t end) {
  price_all<Streaming<Approximate>>(in, out, begin, end);
  stream_fence();
}

#ifdef CONTENDER_SLEEF
void black_scholes_sleef(OptionColumns in, PriceColumns out, int64_t begin, int64_t end) {
  price_all<Sleef>(in, out, begin, end);
}
#endif

}  // namespace contenders::CONTENDER_HAND
