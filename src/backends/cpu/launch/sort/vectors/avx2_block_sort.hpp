// Sorts up to some hundred words by networks: runs of 16 vectors in registers, which are then
// merged in a buffer by comparing one run with the reversed other one and then halves of the
// bitonic results. Where runs would be longer than there are vectors, the missing ones count as the
// largest words, which comparisons leave unchanged.
#pragma once

#include "backends/cpu/launch/sort/vectors/avx2_network.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace hasten::backends::cpu {

template <class Lanes>
class BlockSort {
 public:
  using Word = typename Lanes::Word;
  static constexpr std::int64_t most = 4096 / sizeof(Word);

  /// Sorts 0 to `most` words.
  static void sort(Word* words, std::int64_t n) {
    if (n >= lanes && n <= run_words && std::has_single_bit(static_cast<std::uint64_t>(n))) {
      sort_run(words, n, words);  // which fills whole rows
      return;
    }
    alignas(32) std::array<Word, most> sorted;
    std::int64_t rows = 0;
    for (std::int64_t i = 0; i < n; i += run_words)
      rows += sort_run(words + i, std::min(run_words, n - i), sorted.data() + i);
    for (std::int64_t run = run_rows; run < rows; run *= 2)
      for (std::int64_t first = 0; first + run < rows; first += 2 * run)
        merge(sorted.data() + first * lanes, run, std::min(2 * run, rows - first));
    std::memcpy(words, sorted.data(), static_cast<std::size_t>(n) * sizeof(Word));
  }

 private:
  static constexpr std::int64_t lanes = Lanes::count, run_rows = 16, run_words = run_rows * lanes,
                                group = 8;  // rows that are merged in registers
  template <std::size_t rows>
  using Run = ColumnNetwork<Lanes, rows>;

  // Returns the number of rows that were written.
  static std::int64_t sort_run(const Word* words, std::int64_t n, Word* to) {
    const auto sort = [=]<std::size_t rows>(std::integral_constant<std::size_t, rows>) {
      Run<rows>::sort(words, n, to);
      return static_cast<std::int64_t>(rows);
    };
    if (n <= Run<1>::most) return sort(std::integral_constant<std::size_t, 1>());
    if (n <= Run<2>::most) return sort(std::integral_constant<std::size_t, 2>());
    if (n <= Run<4>::most) return sort(std::integral_constant<std::size_t, 4>());
    if (n <= Run<8>::most) return sort(std::integral_constant<std::size_t, 8>());
    return sort(std::integral_constant<std::size_t, 16>());
  }

  // Merges the first `run` rows with the others, which are as many or fewer.
  [[gnu::target("avx2")]] static void merge(Word* words, std::int64_t run, std::int64_t rows) {
    for (std::int64_t j = run; j < rows; ++j)
      compare_reversed(words + (2 * run - 1 - j) * lanes, words + j * lanes);
    for (std::int64_t distance = run / 2; distance >= group; distance /= 2)
      for (std::int64_t first = 0; first + distance < rows; first += 2 * distance)
        for (std::int64_t i = first; i < std::min(first + distance, rows - distance); ++i)
          compare_rows(words + i * lanes, words + (i + distance) * lanes);
    for (; rows >= group; rows -= group, words += group * lanes) halve<group>(words);
    if (rows == 4) halve<4>(words);
    if (rows == 2) halve<2>(words);
    if (rows == 1) halve<1>(words);
  }

  // The second row stays reversed: it is bitonic either way.
  [[gnu::target("avx2"), gnu::always_inline]] static inline void compare_reversed(Word* a,
                                                                                  Word* b) {
    Vector256 x = Lanes::load(a), y = Lanes::template flipped<Lanes::count - 1>(Lanes::load(b));
    Lanes::put_in_order(x, y);
    Lanes::store(a, x);
    Lanes::store(b, y);
  }
  [[gnu::target("avx2"), gnu::always_inline]] static inline void compare_rows(Word* a, Word* b) {
    Vector256 x = Lanes::load(a), y = Lanes::load(b);
    Lanes::put_in_order(x, y);
    Lanes::store(a, x);
    Lanes::store(b, y);
  }

  template <std::size_t rows>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void halve(Word* words) {
    Run<rows>::merge_bitonic(words);
  }
};

}  // namespace hasten::backends::cpu
