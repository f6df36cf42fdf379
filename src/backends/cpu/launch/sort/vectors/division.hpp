// Divides words into several parts by 512-bit vectors: each vector's lanes are compressed to the
// parts that they belong to.
#pragma once

#include "backends/cpu/launch/sort/vectors/lanes.hpp"

#include <bit>
#include <cstdint>

namespace hasten::backends::cpu {

/// Part p has the words that are at least bounds[p - 1] and below bounds[p]; there are `parts` - 1
/// bounds, in ascending order.
template <class Lanes, int parts>
class Division512 {
 public:
  using Word = typename Lanes::Word;
  using Mask = typename Lanes::Mask;

  /// counts[p]: the words of part p.
  [[gnu::target("avx512f,popcnt")]] static void count(const Word* from, std::int64_t n,
                                                      const Word* bounds, std::int64_t* counts) {
    Vector512 bound[parts - 1];
    for (int p = 0; p + 1 < parts; ++p) bound[p] = Lanes::all(bounds[p]);
    std::int64_t below[parts] = {};  // the bound of each part
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      const Vector512 x = Lanes::load(from + i);
      for (int p = 0; p + 1 < parts; ++p) below[p] += std::popcount(Lanes::less(x, bound[p]));
    }
    const auto rest = static_cast<Mask>((1U << (n - i)) - 1);
    const Vector512 x = Lanes::load(from + i, rest);
    for (int p = 0; p + 1 < parts; ++p)
      below[p] += std::popcount(static_cast<Mask>(Lanes::less(x, bound[p]) & rest));
    below[parts - 1] = n;
    for (int p = 0; p < parts; ++p) counts[p] = below[p] - (p > 0 ? below[p - 1] : 0);
  }

  /// Stores the words of part p from to[p] on, in their order; they end at ends[p].
  [[gnu::target("avx512f,popcnt")]] static void move(const Word* from, std::int64_t n,
                                                     const Word* bounds, Word* const* to,
                                                     Word* const* ends) {
    Vector512 bound[parts - 1];
    for (int p = 0; p + 1 < parts; ++p) bound[p] = Lanes::all(bounds[p]);
    Word* at[parts];
    for (int p = 0; p < parts; ++p) at[p] = to[p];
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) put(at, ends, Lanes::load(from + i), Lanes::every, bound);
    const auto rest = static_cast<Mask>((1U << (n - i)) - 1);
    put(at, ends, Lanes::load(from + i, rest), rest, bound);
  }

 private:
  static constexpr std::int64_t lanes = Lanes::count;

  // What a whole vector overwrites behind the words is stored later.
  [[gnu::target("avx512f,popcnt"), gnu::always_inline]] static inline void put(
      Word** at, Word* const* ends, Vector512 x, Mask left, const Vector512* bound) {
    for (int p = 0; p < parts; ++p) {
      const Mask on = p + 1 < parts ? static_cast<Mask>(Lanes::less(x, bound[p]) & left) : left;
      left = static_cast<Mask>(left & ~on);
      const int count = std::popcount(on);
      const Vector512 words = Lanes::compressed(x, on);
      if (ends[p] - at[p] >= lanes)
        Lanes::store(at[p], words);
      else
        Lanes::store(at[p], static_cast<Mask>((1U << count) - 1), words);
      at[p] += count;
    }
  }
};

}  // namespace hasten::backends::cpu
