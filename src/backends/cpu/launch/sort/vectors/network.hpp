// Sorts up to 16 vectors of words in registers: first each vector, then pairs of sorted runs of
// vectors, which are merged by comparing one run with the reversed other one and then halves of the
// bitonic results. Where runs would be longer than there are vectors, the missing ones count as the
// largest words, which comparisons leave unchanged.
#pragma once

#include "backends/cpu/launch/sort/vectors/lanes.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hasten::backends::cpu {

/// For `rows` vectors of these lanes.
template <class Lanes, std::size_t rows>
class Network {
 public:
  using Word = typename Lanes::Word;
  static constexpr std::int64_t most = Lanes::count * static_cast<std::int64_t>(rows);

  /// Sorts 0 to `most` words.
  [[gnu::target("avx512f")]] static void sort(Word* words, std::int64_t n) {
    Vector512 v[rows];
    load(v, words, n, every);
    sort_each(v, every);
    merge_runs<1>(v);
    store(v, words, n, every);
  }

 private:
  using Mask = typename Lanes::Mask;
  static constexpr std::make_index_sequence<rows> every{};
  static constexpr std::make_index_sequence<std::bit_ceil(rows) / 2> pairs{};
  template <std::size_t... i>
  using Rows = std::index_sequence<i...>;

  // The lanes of a row that hold words.
  static constexpr Mask lanes_on(std::int64_t n, std::size_t row) {
    const std::int64_t left = n - Lanes::count * static_cast<std::int64_t>(row);
    const std::int64_t on = left < 0 ? 0 : left < Lanes::count ? left : Lanes::count;
    return static_cast<Mask>((1U << on) - 1);
  }

  template <std::size_t... i>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void load(Vector512 (&v)[rows],
                                                                         const Word* words,
                                                                         std::int64_t n,
                                                                         Rows<i...>) {
    ((v[i] = Lanes::load(words + Lanes::count * i, lanes_on(n, i))), ...);
  }

  template <std::size_t... i>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void store(Vector512 (&v)[rows],
                                                                          Word* words,
                                                                          std::int64_t n,
                                                                          Rows<i...>) {
    (Lanes::store(words + Lanes::count * i, lanes_on(n, i), v[i]), ...);
  }

  // Lanes whose partner, l ^ flips, is below them.
  template <int flips>
  static constexpr Mask upper() {
    unsigned mask = 0;
    for (int lane = 0; lane < Lanes::count; ++lane)
      if ((lane ^ flips) < lane) mask |= 1U << lane;
    return static_cast<Mask>(mask);
  }

  template <int flips>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 compared(Vector512 x) {
    const Vector512 partner = Lanes::template flipped<flips>(x);
    return Lanes::max_where(Lanes::min(x, partner), upper<flips>(), x, partner);
  }

  // Compares lanes `distance` apart, then half of it, and so on.
  template <int distance>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 halved(Vector512 x) {
    if constexpr (distance == 0)
      return x;
    else
      return halved<distance / 2>(compared<distance>(x));
  }

  // Merges sorted runs of `run` lanes into runs of twice as many.
  template <int run>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline Vector512 sorted(Vector512 x) {
    if constexpr (run == Lanes::count)
      return x;
    else
      return sorted<2 * run>(halved<run / 2>(compared<2 * run - 1>(x)));
  }

  template <std::size_t... i>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void sort_each(Vector512 (&v)[rows],
                                                                              Rows<i...>) {
    ((v[i] = sorted<1>(v[i])), ...);
  }

  // Merges sorted runs of `run` rows.
  template <std::size_t run>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void merge_runs(
      Vector512 (&v)[rows]) {
    if constexpr (run < rows) {
      compare_backwards<run>(v, pairs);
      halve_rows<run / 2>(v);
      halve_each(v, every);
      merge_runs<2 * run>(v);
    }
  }

  // Compares the pair'th row of a first run with the row as far from the end of the second run. The
  // latter stays reversed: it is bitonic either way.
  template <std::size_t run, std::size_t... pair>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void compare_backwards(
      Vector512 (&v)[rows], Rows<pair...>) {
    (compare_backwards_at<run, pair>(v), ...);
  }
  template <std::size_t run, std::size_t pair>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void compare_backwards_at(
      Vector512 (&v)[rows]) {
    constexpr std::size_t first = pair / run * 2 * run, i = first + pair % run,
                          j = first + 2 * run - 1 - pair % run;
    if constexpr (j < rows) {
      const Vector512 other = Lanes::template flipped<Lanes::count - 1>(v[j]);
      v[j] = Lanes::max(v[i], other);
      v[i] = Lanes::min(v[i], other);
    }
  }

  // Compares rows `distance` apart, then half of it, and so on.
  template <std::size_t distance>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void halve_rows(
      Vector512 (&v)[rows]) {
    if constexpr (distance > 0) {
      compare_rows<distance>(v, pairs);
      halve_rows<distance / 2>(v);
    }
  }
  template <std::size_t distance, std::size_t... pair>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void compare_rows(
      Vector512 (&v)[rows], Rows<pair...>) {
    (compare_rows_at<pair / distance * 2 * distance + pair % distance, distance>(v), ...);
  }
  template <std::size_t i, std::size_t distance>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void compare_rows_at(
      Vector512 (&v)[rows]) {
    if constexpr (i + distance < rows) {
      const Vector512 other = v[i + distance];
      v[i + distance] = Lanes::max(v[i], other);
      v[i] = Lanes::min(v[i], other);
    }
  }

  template <std::size_t... i>
  [[gnu::target("avx512f"), gnu::always_inline]] static inline void halve_each(Vector512 (&v)[rows],
                                                                               Rows<i...>) {
    ((v[i] = halved<Lanes::count / 2>(v[i])), ...);
  }
};

}  // namespace hasten::backends::cpu
