// Each step reads from the end with less free space and writes to both: the vectors that have been
// read leave space for a step's vectors at either end.
#include "backends/cpu/launch/sort/vectors/vector_sort.hpp"

#include "support/env.hpp"

#if defined(__x86_64__)
#include "backends/cpu/launch/sort/vectors/network.hpp"
#endif

#include <algorithm>
#include <bit>

namespace hasten::backends::cpu {

#if defined(__x86_64__)

namespace {

template <class Lanes>
class Partition {
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

template <class Lanes>
class QuickSort {
 public:
  using Word = typename Lanes::Word;

  static void run(Word* words, std::int64_t n) {
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)));
    sort(words, n, 2 * bits);
  }

  /// The first partition copies.
  static void run(const Word* from, Word* to, std::int64_t n) {
    if (n <= network_most<Lanes>) {
      std::copy_n(from, n, to);
      return run(to, n);
    }
    const std::int64_t below = Partition<Lanes>::run(from, to, n, median_of_some(from, n));
    run(to, below);
    run(to + below, n - below);
  }

 private:
  static_assert(network_most<Lanes> >= Partition<Lanes>::least);
  static constexpr std::int64_t samples = 32;

  // `depth`: the most partitions that pay; more are a sign of bad pivots.
  static void sort(Word* words, std::int64_t n, int depth) {
    while (n > network_most<Lanes>) {
      if (depth-- == 0) return std::sort(words, words + n);
      const Word pivot = median_of_some(words, n);
      std::int64_t below = Partition<Lanes>::run(words, n, pivot);
      if (below == 0) {  // the pivot is the least word, often because many words equal it
        below = pivot == ~Word{0} ? n : Partition<Lanes>::run(words, n, pivot + 1);
        words += below;
        n -= below;
        continue;
      }
      const bool first_is_short = below < n - below;
      if (first_is_short)
        sort(words, below, depth);
      else
        sort(words + below, n - below, depth);
      words += first_is_short ? below : 0;
      n = first_is_short ? n - below : below;
    }
    sort_by_network<Lanes>(words, n);
  }

  static Word median_of_some(const Word* words, std::int64_t n) {
    Word found[samples];
    const std::int64_t apart = n / samples;
    for (std::int64_t i = 0; i < samples; ++i) found[i] = words[i * apart + apart / 2];
    sort_by_network<Lanes>(found, samples);
    return found[samples / 2];
  }
};

bool may_use_512_bits() {
  const auto width = support::env_number("HASTEN_CPU_WIDTH");
  return !width || *width >= 512;
}

}  // namespace

bool sorts_by_vectors() {
  static const bool does = __builtin_cpu_supports("avx512f") != 0 && may_use_512_bits();
  return does;
}

void sort_by_vectors(std::uint32_t* words, std::int64_t n) { QuickSort<Lanes32>::run(words, n); }
void sort_by_vectors(std::uint64_t* words, std::int64_t n) { QuickSort<Lanes64>::run(words, n); }
void sort_by_vectors(const std::uint32_t* from, std::uint32_t* to, std::int64_t n) {
  QuickSort<Lanes32>::run(from, to, n);
}
void sort_by_vectors(const std::uint64_t* from, std::uint64_t* to, std::int64_t n) {
  QuickSort<Lanes64>::run(from, to, n);
}

#else

bool sorts_by_vectors() { return false; }
void sort_by_vectors(std::uint32_t* words, std::int64_t n) { std::sort(words, words + n); }
void sort_by_vectors(std::uint64_t* words, std::int64_t n) { std::sort(words, words + n); }
void sort_by_vectors(const std::uint32_t* from, std::uint32_t* to, std::int64_t n) {
  std::partial_sort_copy(from, from + n, to, to + n);
}
void sort_by_vectors(const std::uint64_t* from, std::uint64_t* to, std::int64_t n) {
  std::partial_sort_copy(from, from + n, to, to + n);
}

#endif

}  // namespace hasten::backends::cpu
