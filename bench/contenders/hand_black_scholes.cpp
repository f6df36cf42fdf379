// Black-Scholes with explicit vectors: own polynomials, or SLEEF's functions.
#ifdef CONTENDER_SLEEF
#include <immintrin.h>
#include <sleef.h>
#endif

#include "hand.hpp"
#include "vec.hpp"

namespace contenders::hand {
namespace {

// What the arithmetic below is made of; a policy per contender.
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
struct Streaming : Approximate {
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

template <class P>
inline void price(Floats s, Floats x, Floats t, Floats& call, Floats& put) {
  const Floats deviation = volatility * P::sqrt(t);
  const Floats drift = (riskless_rate + 0.5f * volatility * volatility) * t;
  const Floats d1 = P::divide(P::log(P::divide(s, x)) + drift, deviation);
  const Floats n1 = cumulative_normal<P>(d1);
  const Floats n2 = cumulative_normal<P>(d1 - deviation);
  const Floats discounted = x * P::exp(-riskless_rate * t);
  call = s * n1 - discounted * n2;
  put = discounted * (1.0f - n2) - s * (1.0f - n1);
}

// The last elements go through one padded vector.
template <class P>
void price_tail(OptionColumns in, PriceColumns out, int64_t begin, int64_t end) {
  Floats s = all(1.0f), x = s, t = s, call, put;
  for (int64_t i = begin; i < end; ++i) {
    s[i - begin] = in.price[i];
    x[i - begin] = in.strike[i];
    t[i - begin] = in.years[i];
  }
  price<P>(s, x, t, call, put);
  for (int64_t i = begin; i < end; ++i) {
    out.call[i] = call[i - begin];
    out.put[i] = put[i - begin];
  }
}

template <class P>
void price_all(OptionColumns in, PriceColumns out, int64_t begin, int64_t end) {
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    Floats call, put;
    price<P>(load(in.price + i), load(in.strike + i), load(in.years + i), call, put);
    P::put(out.call + i, call);
    P::put(out.put + i, put);
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
  price_all<Streaming>(in, out, begin, end);
  stream_fence();
}

#ifdef CONTENDER_SLEEF
void black_scholes_sleef(OptionColumns in, PriceColumns out, int64_t begin, int64_t end) {
  price_all<Sleef>(in, out, begin, end);
}
#endif

}  // namespace contenders::hand
