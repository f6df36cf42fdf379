// European option prices by the Black-Scholes formula.
#pragma once

#include <hasten/hasten.hpp>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

struct Option {
  float price, strike, years;  // the share's price now, the price to buy or sell it at, and when
};
HASTEN_STRUCT(Option, price, strike, years);

struct Quote {
  float call, put;
};
HASTEN_STRUCT(Quote, call, put);

constexpr float riskless_rate = 0.02f;
constexpr float volatility = 0.30f;

// The normal distribution, by polynomial 26.2.17 of Abramowitz and Stegun.
inline Exp<float> cumulative_normal(Exp<float> d) {
  constexpr float inverse_root_of_2_pi = 0.39894228040143267794f;
  auto k = 1.0f / (1.0f + 0.2316419f * hs::abs(d));
  auto polynomial =
      k * (0.31938153f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  auto tail = inverse_root_of_2_pi * hs::exp(-0.5f * d * d) * polynomial;
  return hs::select(d > 0.0f, 1.0f - tail, tail);
}

// An ordinary function of one option. `n1` and the rest are computed once, however often they are
// used.
inline Exp<Quote> quote(Exp<Option> option) {
  auto deviation = volatility * hs::sqrt(option.years);
  auto drift = (riskless_rate + 0.5f * volatility * volatility) * option.years;
  auto d1 = (hs::log(option.price / option.strike) + drift) / deviation;
  auto n1 = cumulative_normal(d1);
  auto n2 = cumulative_normal(d1 - deviation);
  auto discounted = option.strike * hs::exp(-riskless_rate * option.years);
  return Exp<Quote>{option.price * n1 - discounted * n2,
                    discounted * (1.0f - n2) - option.price * (1.0f - n1)};
}

inline Acc<Vector<Quote>> black_scholes(Acc<Vector<Option>> options) {
  return hs::map(quote, options);
}

}  // namespace programs
