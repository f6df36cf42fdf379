// Orders the keys of a row by words that hold the leading bits of a key above its place, so that
// equal keys keep their order and no two words are equal.
#pragma once

#include "backends/cpu/launch/sort/vectors/vector_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

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
    // The highest bits, which are those of all keys, need no room.
    for (std::int64_t i = 0; i < n_; ++i)
      words_[i] = static_cast<Word>(static_cast<Word>(keys_[i] >> dropped_) << place_bits_) |
                  static_cast<Word>(i);
    if (sorts_by_vectors())
      sort_by_vectors(words_, n_);
    else
      std::sort(words_, words_ + n_);
    if (dropped_ > 0 && ties() > n_ / 8) return false;
    const auto place = static_cast<Word>((Word{1} << place_bits_) - 1);
    for (std::int64_t i = 0; i < n_; ++i)
      positions[i] = static_cast<std::int64_t>(words_[i] & place);
    if (dropped_ > 0) resolve_ties(positions);
    return true;
  }

 private:
  // The number of bits up to the highest one in which some key differs from the first.
  [[nodiscard]] int varying_bits() const {
    Key varying = 0;
    for (std::int64_t i = 0; i < n_; ++i)
      varying = static_cast<Key>(varying | (keys_[i] ^ keys_[0]));
    return std::bit_width(varying);
  }

  // How many words have the same bits of a key as the one before.
  [[nodiscard]] std::int64_t ties() const {
    Word count = 0;
    for (std::int64_t i = 1; i < n_; ++i)
      count += static_cast<Word>((words_[i] ^ words_[i - 1]) >> place_bits_ == 0);
    return static_cast<std::int64_t>(count);
  }

  // Inserts each key among those before it that words do not tell apart.
  void resolve_ties(std::int64_t* positions) const {
    for (std::int64_t i = 1; i < n_; ++i) {
      const std::int64_t position = positions[i];
      std::int64_t at = i;
      while (at > 0 && (words_[i] ^ words_[at - 1]) >> place_bits_ == 0 &&
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
  Word words_[small_row];
};

/// False: keys are to be compared one by one.
template <class Key>
bool order_by_words(const Key* keys, std::int64_t n, std::int64_t* positions) {
  if (sorts_by_vectors() && RowWords<std::uint32_t, Key>(keys, n).order(positions)) return true;
  return RowWords<std::uint64_t, Key>(keys, n).order(positions);
}

}  // namespace hasten::backends::cpu
