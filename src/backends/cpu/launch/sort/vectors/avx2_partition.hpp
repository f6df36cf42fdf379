// Partitions words by 256-bit vectors, in place. A permutation from a table divides the lanes of a
// vector, which is then stored whole at either end of the free words (as in x86-simd-sort).
#pragma once

#include "backends/cpu/launch/sort/vectors/avx2_lanes.hpp"

#include <cstdint>

namespace hasten::backends::cpu {

/// Each step reads from the end with less free space and writes to both: the vectors that have been
/// read leave space for a step's vectors at either end.
template <class Lanes>
class Partition256 {
 public:
  using Word = typename Lanes::Word;
  static constexpr std::int64_t lanes = Lanes::count, step = 4;  // vectors
  static constexpr std::int64_t least = 2 * step * lanes;

  /// Moves words below the pivot to the front and returns their number. Requires n >= `least`.
  [[gnu::target("avx2")]] static std::int64_t run(Word* words, std::int64_t n, Word pivot) {
    const Vector256 bound = Lanes::bound(pivot);
    Vector256 ends[2 * step];
    for (std::int64_t i = 0; i < step; ++i) {
      ends[i] = Lanes::load(words + i * lanes);
      ends[step + i] = Lanes::load(words + n - (i + 1) * lanes);
    }
    const Word *first = words + step * lanes, *last = words + n - step * lanes;  // unread
    Room to{words, words + n};
    const std::int64_t some = n % lanes;  // now, so that later there are whole vectors only
    put_some(to, first, some, pivot);
    first += some;
    while (last - first >= step * lanes) {
      const bool from_end = first - to.begin > step * lanes;  // the other end has less space
      const Word* const from = from_end ? last - step * lanes : first;
      last = from_end ? from : last;
      first = from_end ? first : first + step * lanes;
      const Vector256 a = Lanes::load(from), b = Lanes::load(from + lanes),
                      c = Lanes::load(from + 2 * lanes), d = Lanes::load(from + 3 * lanes);
      put(to, a, bound);
      put(to, b, bound);
      put(to, c, bound);
      put(to, d, bound);
    }
    while (first < last) {
      const bool from_end = first - to.begin > step * lanes;
      const Word* const from = from_end ? last - lanes : first;
      last = from_end ? from : last;
      first = from_end ? first : first + lanes;
      put(to, Lanes::load(from), bound);
    }
    for (const Vector256& x : ends) put(to, x, bound);
    return to.begin - words;
  }

  /// The same from other memory; all of the destination is free.
  [[gnu::target("avx2")]] static std::int64_t run(const Word* from, Word* words, std::int64_t n,
                                                  Word pivot) {
    const Vector256 bound = Lanes::bound(pivot);
    Room to{words, words + n};
    put_some(to, from, n % lanes, pivot);
    for (std::int64_t i = n % lanes; i < n; i += lanes) put(to, Lanes::load(from + i), bound);
    return to.begin - words;
  }

 private:
  // The range that has not been written: words below the pivot go to its beginning, the rest to its
  // end. Some of its words may not have been read yet.
  struct Room {
    Word *begin, *end;
  };

  // A store may overwrite free words beyond its own. If all words have been read, the last stores
  // at both ends meet: then whole vectors must be free.
  [[gnu::target("avx2"), gnu::always_inline]] static inline void put(Room& to, Vector256 x,
                                                                     Vector256 bound) {
    const int mask = Lanes::below(x, bound),
              count = __builtin_popcount(static_cast<unsigned>(mask));
    const Vector256 divided = Lanes::template apart<Lanes::count>(x, mask);
    Lanes::store(to.begin, divided);
    Lanes::store(to.end - lanes, divided);
    to.begin += count;
    to.end -= lanes - count;
  }

  // Fewer words than a vector has lanes.
  [[gnu::target("avx2"), gnu::always_inline]] static inline void put_some(Room& to,
                                                                          const Word* from,
                                                                          std::int64_t n,
                                                                          Word pivot) {
    for (std::int64_t i = 0; i < n; ++i) {
      const Word word = from[i];
      *to.begin = to.end[-1] = word;
      to.begin += word < pivot;
      to.end -= !(word < pivot);
    }
  }
};

}  // namespace hasten::backends::cpu
