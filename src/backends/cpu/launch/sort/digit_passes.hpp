// Sorts words that a cache holds, from their least significant digit on. The last pass can store
// results in place of words, which saves a pass over these.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace hasten::backends::cpu {

/// Stable. `results` receives words in order, with their places among all:
///   results(words, begin, end) for a range of places;
///   results.each() whether it takes them one by one instead, as results(word, place).
template <class Word, class Results>
class DigitPasses {
 public:
  DigitPasses(const Results& results, unsigned bits)
      : results_(results),
        passes_((bits + digit_bits - 1) / digit_bits),
        width_(passes_ == 0 ? 0 : (bits + passes_ - 1) / passes_),
        mask_((std::size_t{1} << width_) - 1) {}

  /// Sorts n words, whose first place is `begin`, with as many words of space in `other`.
  void run(Word* words, Word* other, std::int64_t n, std::int64_t begin) const {
    if (n <= few) {
      insert_each(words, n);
      return results_(words, begin, begin + n);
    }
    Counts counts;
    count(words, n, counts);
    unsigned passes = passes_;  // without the last ones, in which all words have one digit
    while (passes > 0 && is_void(words, n, counts, passes - 1)) --passes;
    const bool stores = passes > 0 && results_.each();
    for (unsigned pass = 0; pass + stores < passes; ++pass) {
      if (is_void(words, n, counts, pass)) continue;
      move(words, n, counts, pass, [=](const Word& word, std::uint32_t at) { other[at] = word; });
      std::swap(words, other);
    }
    if (!stores) return results_(words, begin, begin + n);
    // A copy, of which the compiler knows that stores do not change it.
    move(words, n, counts, passes - 1,
         [results = results_, begin](const Word& word, std::uint32_t at) {
           results(word, begin + at);
         });
  }

 private:
  static constexpr std::int64_t few = 48;    // sorted by insertion
  static constexpr unsigned digit_bits = 9;  // as many lines as fit a first cache
  using Counts = std::array<std::array<std::uint32_t, std::size_t{1} << digit_bits>,
                            (64 + digit_bits - 1) / digit_bits>;

  [[nodiscard]] std::size_t digit(const Word& word, unsigned pass) const {
    return static_cast<std::size_t>(word.key() >> pass * width_) & mask_;
  }

  void count(const Word* words, std::int64_t n, Counts& counts) const {
    for (unsigned pass = 0; pass < passes_; ++pass) std::fill_n(counts[pass].begin(), mask_ + 1, 0);
    for (std::int64_t i = 0; i < n; ++i)
      for (unsigned pass = 0; pass < passes_; ++pass) ++counts[pass][digit(words[i], pass)];
  }

  // Whether all words have one digit. Counts of passes that were made are places by then.
  [[nodiscard]] bool is_void(const Word* words, std::int64_t n, const Counts& counts,
                             unsigned pass) const {
    return counts[pass][digit(words[0], pass)] == n;
  }

  // put(word, place) for each word, by its digit
  template <class Put>
  void move(const Word* words, std::int64_t n, Counts& counts, unsigned pass, Put put) const {
    std::array<std::uint32_t, std::size_t{1} << digit_bits>& next = counts[pass];
    std::uint32_t place = 0;
    for (std::size_t d = 0; d <= mask_; ++d) place += std::exchange(next[d], place);
    for (std::int64_t i = 0; i < n; ++i) put(words[i], next[digit(words[i], pass)]++);
  }

  static void insert_each(Word* words, std::int64_t n) {
    for (std::int64_t i = 1; i < n; ++i) {
      const Word word = words[i];
      std::int64_t at = i;
      for (; at > 0 && words[at - 1].key() > word.key(); --at) words[at] = words[at - 1];
      words[at] = word;
    }
  }

  const Results& results_;
  unsigned passes_, width_;
  std::size_t mask_;
};

}  // namespace hasten::backends::cpu
