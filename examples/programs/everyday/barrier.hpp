// The price of an option that expires once the share reaches a barrier, by Monte Carlo simulation.
#pragma once

#include <hasten/hasten.hpp>
#include <tuple>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Scalar;

struct BarrierOption {
  float price, strike, barrier, years, rate, volatility;
};
HASTEN_STRUCT(BarrierOption, price, strike, barrier, years, rate, volatility);

// A call option that ends at the barrier (up and out), observed at 4 * `quarters` moments. Random
// numbers are a function of the key and the index, so every machine computes the same price.
inline Exp<float> barrier_call(Exp<int64_t> paths, Exp<int64_t> quarters, Exp<uint64_t> key,
                               Exp<BarrierOption> option) {
  auto time = option.years / hs::cast<float>(4 * quarters);
  auto drift = (option.rate - 0.5f * option.volatility * option.volatility) * time;
  auto spread = option.volatility * hs::sqrt(time);
  auto limit = hs::log(option.barrier / option.price);
  auto payoff = [=](Exp<int64_t> path) {
    auto four_steps = [=](Exp<int64_t> k, Exp<float> log_price, Exp<float> highest) {
      auto random = hs::normal4<float>(key, path * quarters + k);
      for (int i = 0; i < 4; ++i) {
        log_price += drift + spread * random[i];
        highest = hs::max(highest, log_price);
      }
      return std::pair{log_price, highest};
    };
    auto [last, highest] = hs::fold_range(quarters, std::pair{0.0f, 0.0f}, four_steps);
    auto gain = hs::max(option.price * hs::exp(last) - option.strike, 0.0f);
    return hs::select(highest < limit, gain, 0.0f);
  };
  return hs::exp(-option.rate * option.years) * hs::the(hs::mean(hs::generate(paths, payoff)));
}

}  // namespace programs
