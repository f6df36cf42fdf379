// Partitions words by 512-bit vectors, in place: each vector's lanes are compressed to both ends of
// the words.
#pragma once

#include "backends/cpu/launch/sort/vectors/lanes.hpp"

#include <bit>
#include <cstdint>

namespace hasten::backends::cpu {

/// Each step reads from the end with less free space and writes to both: the vectors that have been
/// read leave space for a step's vectors at either end.
template <class Lanes>
class Partition512 {
 public:
  using Word = typename Lanes::Word;
  using Mask = typename Lanes::Mask;
  static constexpr std::int64_t lanes = Lanes::count, step = 4;  // vectors
  static constexpr std::int64_t least = 2 * step * lanes;

  /// Moves words below the pivot to the front and returns their number. Requires n >= `least`.
  [[gnu::target("avx512f")]] static std::int64_t run(Word* words, std::int64_t n, Word pivot) {
    const Vector512 bound = Lanes::all(pivot);
    Vector512 ends[2 * step];
    for (std::int64_t i = 0; i < step; ++i) {
      ends[i] = Lanes::load(words + i * lanes);
      ends[step + i] = Lanes::load(words + n - (i + 1) * lanes);
    }
    const Word *first = words + step * lanes, *last = words + n - step * lanes;  // unread
    Room to{words, n};
    while (last - first >= step * lanes) {
      Vector512 a, b, c, d;
      if (first - to.begin > step * lanes) {  // the other end has less space
        last -= step * lanes;
        a = Lanes::load(last);
        b = Lanes::load(last + lanes);
        c = Lanes::load(last + 2 * lanes);
        d = Lanes::load(last + 3 * lanes);
      } else {
        a = Lanes::load(first);
        b = Lanes::load(first + lanes);
        c = Lanes::load(first + 2 * lanes);
        d = Lanes::load(first + 3 * lanes);
        first += step * lanes;
      }
      put(to, a, bound);
      put(to, b, bound);
      put(to, c, bound);
      put(to, d, bound);
    }
    while (last - first >= lanes) {
      if (first - to.begin > step * lanes) {
        last -= lanes;
        put(to, Lanes::load(last), bound);
      } else {
        first += lanes;
        put(to, Lanes::load(first - lanes), bound);
      }
    }
    put_some(to, first, static_cast<int>(last - first), bound);
    for (const Vector512& x : ends) put(to, x, bound);
    return to.begin - words;
  }

  /// The same from other memory; all of the destination is free.
  [[gnu::target("avx512f")]] static std::int64_t run(const Word* from, Word* words, std::int64_t n,
                                                     Word pivot) {
    const Vector512 bound = Lanes::all(pivot);
    Room to{words, n};
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) put(to, Lanes::load(from + i), bound);
    put_some(to, from + i, static_cast<int>(n - i), bound);
    return to.begin - words;
  }

 private:
  // The range that has not been written: words below the pivot go to its beginning, the rest to its
  // end. Some of its words may not have been read yet.
  struct Room {
    Word* begin;
    std::int64_t size;
  };

  // A store may overwrite free words beyond its own.
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void put(Room& to, Vector512 x,
                                                                        Vector512 bound) {
    const Mask on = Lanes::less(x, bound);
    const int count = std::popcount(on);
    to.size -= lanes;
    Lanes::store(to.begin, Lanes::compressed(x, on));
    to.begin += count;
    Lanes::store(to.begin + to.size, static_cast<Mask>(Lanes::every >> count),
                 Lanes::compressed(x, static_cast<Mask>(~on)));
  }

  // Fewer words than a vector has lanes.
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void put_some(Room& to,
                                                                             const Word* from,
                                                                             int n,
                                                                             Vector512 bound) {
    const auto all = static_cast<Mask>((1U << n) - 1);
    const Vector512 x = Lanes::load(from, all);
    const auto on = static_cast<Mask>(Lanes::less(x, bound) & all);
    const int count = std::popcount(on);
    to.size -= n;
    Lanes::store(to.begin, static_cast<Mask>((1U << count) - 1), Lanes::compressed(x, on));
    to.begin += count;
    Lanes::store(to.begin + to.size, static_cast<Mask>(all >> count),
                 Lanes::compressed(x, static_cast<Mask>(all & ~on)));
  }
};

}  // namespace hasten::backends::cpu
