// A barrier option by Monte Carlo, as plain loops: groups of paths advance together, step by step,
// so that compilers with vector math functions use them.
#include <cmath>

#include "everyday/programs.hpp"
#include "parallel.hpp"

namespace contenders::CONTENDER_SPACE {
namespace {

constexpr int together = 256;  // paths

// Philox4x32-10: Salmon, Moraes, Dror, Shaw (2011).
inline void philox(uint64_t key, uint64_t counter, uint32_t (&words)[4]) {
  uint32_t c0 = static_cast<uint32_t>(counter), c1 = static_cast<uint32_t>(counter >> 32), c2 = 0,
           c3 = 0;
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{c0} * 0xD2511F53u, second = uint64_t{c2} * 0xCD9E8D57u;
    c0 = static_cast<uint32_t>(second >> 32) ^ c1 ^ k0;
    c1 = static_cast<uint32_t>(second);
    c2 = static_cast<uint32_t>(first >> 32) ^ c3 ^ k1;
    c3 = static_cast<uint32_t>(first);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  words[0] = c0, words[1] = c1, words[2] = c2, words[3] = c3;
}

struct Walk {
  float drift, spread;
};

// Four steps of path i of a group, by the method of Box and Muller.
inline void four_steps(const uint32_t (&words)[4], const Walk& walk, float& price, float& highest) {
  for (int pair = 0; pair < 2; ++pair) {
    const float u = static_cast<float>(words[2 * pair] >> 8) * 0x1p-24f;
    const float v = static_cast<float>(words[2 * pair + 1] >> 8) * 0x1p-24f;
    const float radius = std::sqrt(-2.0f * std::log(1.0f - u));
    const float angle = 6.28318530717958647692f * v;
    price += walk.drift + walk.spread * (radius * std::cos(angle));
    highest = price > highest ? price : highest;
    price += walk.drift + walk.spread * (radius * std::sin(angle));
    highest = price > highest ? price : highest;
  }
}

}  // namespace

float barrier(int64_t paths, int64_t quarters, uint64_t key, BarrierCall option) {
  const float time = option.years / static_cast<float>(4 * quarters);
  const Walk walk{(option.rate - 0.5f * option.volatility * option.volatility) * time,
                  option.volatility * std::sqrt(time)};
  const float limit = std::log(option.barrier / option.price);
  std::vector<double> gains(static_cast<std::size_t>((paths + together - 1) / together));
  parallel_blocks(paths, together, [&](int64_t begin, int64_t end) {
    float price[together] = {}, highest[together] = {};
    const int count = static_cast<int>(end - begin);
    for (int64_t k = 0; k < quarters; ++k)
      for (int i = 0; i < count; ++i) {
        uint32_t words[4];
        philox(key, static_cast<uint64_t>((begin + i) * quarters + k), words);
        four_steps(words, walk, price[i], highest[i]);
      }
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      const float gain = option.price * std::exp(price[i]) - option.strike;
      sum += highest[i] < limit && gain > 0.0f ? gain : 0.0f;
    }
    gains[static_cast<std::size_t>(begin / together)] = sum;
  });
  double total = 0;
  for (const double gain : gains) total += gain;
  return static_cast<float>(std::exp(-double{option.rate} * double{option.years}) * total /
                            static_cast<double>(paths));
}

}  // namespace contenders::CONTENDER_SPACE
