// Orders the keys of a row by words that hold the leading bits of a key above its place, so that
// equal keys keep their order and no two words are equal.
#pragma once

#include "backends/cpu/launch/sort/vectors/vector_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace hasten::backends::cpu {

constexpr std::int64_t small_row = 512;  // sorted by comparing

template <class Word, class Key>
class RowWords {
 public:
  /// n < small_row
  RowWords(const Key* keys, std::int64_t n)
      : keys_(keys),
        n_(n),
        place_bits_(std::bit_width(static_cast<std::uint64_t>(n - 1))),
        dropped_(std::max(varying_bits() + place_bits_ - 8 * static_cast<int>(sizeof(Word)), 0)) {}

  /// Stores the positions of the keys in their order. False: too many keys differ only in the bits
  /// that words have no room for.
  bool order(std::int64_t* positions) {
    alignas(64) Word words[small_row];
    make(words);
    if (sorts_by_vectors())
      sort_by_vectors(words, n_);
    else
      std::sort(words, words + n_);
    const std::int64_t found = dropped_ > 0 ? ties(words) : 0;
    if (found > n_ / 8) return false;
    const auto place = static_cast<Word>((Word{1} << place_bits_) - 1);
    in_blocks(0, n_, [positions, place, at = &words[0]](std::int64_t begin, auto size) {
      for (std::int64_t i = 0; i < size; ++i)
        positions[begin + i] = static_cast<std::int64_t>(at[begin + i] & place);
    });
    if (found > 0) resolve_ties(words, positions);
    return true;
  }

 private:
  // f(begin, size) for the numbers from `first` to n, most of them in blocks of a constant size,
  // for which the compiler vectorises it.
  template <class F>
  static void in_blocks(std::int64_t first, std::int64_t n, F f) {
    constexpr std::int64_t block = 16;
    for (; first + block <= n; first += block)
      f(first, std::integral_constant<std::int64_t, block>{});
    f(first, n - first);
  }

  // The number of bits up to the highest one in which some key differs from the first.
  [[nodiscard]] int varying_bits() const {
    const Key one = keys_[0];
    Key varying = 0;
    in_blocks(0, n_, [&, keys = keys_](std::int64_t begin, auto size) {
      Key some = 0;
      for (std::int64_t i = 0; i < size; ++i)
        some = static_cast<Key>(some | (keys[begin + i] ^ one));
      varying = static_cast<Key>(varying | some);
    });
    return std::bit_width(varying);
  }

  // The highest bits, which are those of all keys, need no room. Copies of members: else the
  // compiler would take them for something that stores change.
  void make(Word* words) const {
    in_blocks(0, n_,
              [keys = keys_, bits = place_bits_, dropped = dropped_, words](std::int64_t begin,
                                                                            auto size) {
                for (std::int64_t i = 0; i < size; ++i)
                  words[begin + i] =
                      static_cast<Word>(static_cast<Word>(keys[begin + i] >> dropped) << bits) |
                      (static_cast<Word>(begin) + static_cast<Word>(i));
              });
  }

  // How many words have the same bits of a key as the one before.
  [[nodiscard]] std::int64_t ties(const Word* words) const {
    const Word apart = static_cast<Word>(Word{1} << place_bits_);
    Word count = 0;
    in_blocks(1, n_, [&count, apart, words](std::int64_t begin, auto size) {
      Word some = 0;
      for (std::int64_t i = 0; i < size; ++i)
        some += static_cast<Word>((words[begin + i] ^ words[begin + i - 1]) < apart);
      count += some;
    });
    return static_cast<std::int64_t>(count);
  }

  // Inserts each key among those before it that words do not tell apart.
  void resolve_ties(const Word* words, std::int64_t* positions) const {
    const Word apart = static_cast<Word>(Word{1} << place_bits_);
    for (std::int64_t i = 1; i < n_; ++i) {
      if ((words[i] ^ words[i - 1]) >= apart) continue;
      const std::int64_t position = positions[i];
      std::int64_t at = i;
      while (at > 0 && (words[i] ^ words[at - 1]) < apart &&
             keys_[positions[at - 1]] > keys_[position]) {
        positions[at] = positions[at - 1];
        --at;
      }
      positions[at] = position;
    }
  }

  const Key* keys_;
  std::int64_t n_;
  int place_bits_, dropped_;
};

/// False: keys are to be compared one by one.
template <class Key>
bool order_by_words(const Key* keys, std::int64_t n, std::int64_t* positions) {
  if (sorts_by_vectors() && RowWords<std::uint32_t, Key>(keys, n).order(positions)) return true;
  return RowWords<std::uint64_t, Key>(keys, n).order(positions);
}

}  // namespace hasten::backends::cpu
