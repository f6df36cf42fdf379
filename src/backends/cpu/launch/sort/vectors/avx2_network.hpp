// Sorts up to 16 vectors of 256 bits in registers. The words are a table with a row for each
// vector: first each column is sorted, which is done without moving lanes, then runs of columns are
// merged, and at last the table is transposed (as in the vectorised quicksort of Highway: Blacher,
// Giesen and Sanders, 2022).
#pragma once

#include "backends/cpu/launch/sort/batcher.hpp"
#include "backends/cpu/launch/sort/vectors/avx2_lanes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hasten::backends::cpu {

/// For `rows` vectors of these lanes, a power of two.
template <class Lanes, std::size_t rows>
class ColumnNetwork {
 public:
  using Word = typename Lanes::Word;
  static constexpr std::int64_t most = Lanes::count * static_cast<std::int64_t>(rows);

  /// Sorts 0 to `most` words into `to`, which may be where they are, and fills up to `most`.
  [[gnu::target("avx2")]] static void sort(const Word* words, std::int64_t n, Word* to) {
    Vector256 v[rows];
    if (n == most)
      load(v, words, every);
    else
      load_some(v, words, n, every);
    sort_columns(v, std::make_index_sequence<batcher<rows>.size()>());
    merge_columns<1>(v);
    store(v, to, blocks);
  }

  /// Sorts `most` words that are bitonic.
  [[gnu::target("avx2"), gnu::always_inline]] static inline void merge_bitonic(Word* words) {
    Vector256 v[rows];
    load(v, words, every);
    halve_rows<rows / 2>(v);
    if constexpr (rows == 1)
      v[0] = halved<lanes / 2>(v[0]);
    else
      halve_lanes<lanes / 2>(v);
    store_rows(v, words, every);
  }

 private:
  static constexpr std::size_t lanes = Lanes::count, block = std::min(rows, lanes);
  static constexpr std::make_index_sequence<rows> every{};
  static constexpr std::make_index_sequence<rows / 2> pairs{};
  static constexpr std::make_index_sequence<block> in_block{};
  static constexpr std::make_index_sequence<rows / block> blocks{};
  template <std::size_t... i>
  using Numbers = std::index_sequence<i...>;

  template <std::size_t... row>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void load(Vector256 (&v)[rows],
                                                                      const Word* words,
                                                                      Numbers<row...>) {
    ((v[row] = Lanes::load(words + lanes * row)), ...);
  }
  template <std::size_t... row>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void load_some(Vector256 (&v)[rows],
                                                                           const Word* words,
                                                                           std::int64_t n,
                                                                           Numbers<row...>) {
    ((v[row] = Lanes::load_some(words + lanes * row, n - static_cast<std::int64_t>(lanes * row))),
     ...);
  }

  template <std::size_t... row>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void store_rows(Vector256 (&v)[rows],
                                                                            Word* words,
                                                                            Numbers<row...>) {
    (Lanes::store(words + lanes * row, v[row]), ...);
  }

  template <std::size_t... c>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void sort_columns(Vector256 (&v)[rows],
                                                                              Numbers<c...>) {
    (Lanes::put_in_order(v[batcher<rows>[c].a], v[batcher<rows>[c].b]), ...);
  }

  // Merges sorted runs of `run` columns: compares one run with the reversed other one, then lanes
  // and at last rows half as far apart each time.
  template <std::size_t run>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void merge_columns(
      Vector256 (&v)[rows]) {
    if constexpr (run < lanes) {
      if constexpr (rows == 1) {
        v[0] = compared<run, 2 * run - 1>(v[0]);
        v[0] = halved<run / 2>(v[0]);
      } else {
        compare_reversed<run>(v, pairs);
        halve_lanes<run / 2>(v);
        halve_rows<rows / 2>(v);
      }
      merge_columns<2 * run>(v);
    }
  }

  // Of a single vector: compares lanes l without the bit with l ^ flips.
  template <std::size_t bit, std::size_t flips>
  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 compared(Vector256 x) {
    Vector256 partner = Lanes::template flipped<static_cast<int>(flips)>(x);
    Lanes::put_in_order(x, partner);
    return Lanes::template chosen<static_cast<int>(bit)>(x, partner);
  }
  template <std::size_t distance>
  [[gnu::target("avx2"), gnu::always_inline]] static inline Vector256 halved(Vector256 x) {
    if constexpr (distance == 0)
      return x;
    else
      return halved<distance / 2>(compared<distance, distance>(x));
  }

  template <std::size_t run, std::size_t... pair>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void compare_reversed(
      Vector256 (&v)[rows], Numbers<pair...>) {
    (compare_reversed_rows<run>(v[pair], v[rows - 1 - pair]), ...);
  }
  // Lane l of one row with lane l ^ (2 * run - 1) of the other.
  template <std::size_t run>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void compare_reversed_rows(
      Vector256& a, Vector256& b) {
    constexpr int flips = 2 * run - 1, bit = run;
    Vector256 least = a, most_of_both = Lanes::template flipped<flips>(b);
    Lanes::put_in_order(least, most_of_both);
    a = Lanes::template chosen<bit>(least, most_of_both);
    b = Lanes::template flipped<flips>(Lanes::template chosen<bit>(most_of_both, least));
  }

  template <std::size_t distance>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void halve_lanes(Vector256 (&v)[rows]) {
    if constexpr (distance > 0) {
      compare_lanes<distance>(v, pairs);
      halve_lanes<distance / 2>(v);
    }
  }
  template <std::size_t distance, std::size_t... pair>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void compare_lanes(Vector256 (&v)[rows],
                                                                               Numbers<pair...>) {
    (Lanes::template compare_lanes<static_cast<int>(distance)>(v[2 * pair], v[2 * pair + 1]), ...);
  }

  template <std::size_t distance>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void halve_rows(Vector256 (&v)[rows]) {
    if constexpr (distance > 0) {
      compare_rows<distance>(v, pairs);
      halve_rows<distance / 2>(v);
    }
  }
  template <std::size_t distance, std::size_t... pair>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void compare_rows(Vector256 (&v)[rows],
                                                                              Numbers<pair...>) {
    (Lanes::put_in_order(v[pair / distance * 2 * distance + pair % distance],
                         v[pair / distance * 2 * distance + pair % distance + distance]),
     ...);
  }

  template <std::size_t... b>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void store(Vector256 (&v)[rows],
                                                                       Word* words, Numbers<b...>) {
    (store_block<b>(v, words, in_block), ...);
  }
  // Some rows, transposed: parts of all columns, or several columns in each vector.
  template <std::size_t b, std::size_t... i>
  [[gnu::target("avx2"), gnu::always_inline]] static inline void store_block(Vector256 (&v)[rows],
                                                                             Word* words,
                                                                             Numbers<i...>) {
    Vector256 part[block] = {v[b * block + i]...};
    Lanes::transpose(part);
    constexpr std::size_t apart = rows < lanes ? lanes : rows;
    (Lanes::store(words + i * apart + b * lanes, part[i]), ...);
  }
};

}  // namespace hasten::backends::cpu
