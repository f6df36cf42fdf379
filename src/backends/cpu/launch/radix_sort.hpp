// Least-significant-digit radix sort of words that hold a key and a position, on several threads.
#pragma once

#include "backends/cpu/launch/team.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace hasten::backends::cpu {

/// A key of up to 32 bits above a position of 32.
struct PackedWord {
  std::uint64_t bits;
  static PackedWord of(std::uint64_t key, std::int64_t position) {
    return {key << 32 | static_cast<std::uint64_t>(position)};
  }
  [[nodiscard]] std::uint64_t key() const { return bits >> 32; }
  [[nodiscard]] std::int64_t position() const {
    return static_cast<std::int64_t>(bits & 0xFFFFFFFFU);
  }
};

/// A key of any size beside a position.
struct WideWord {
  std::uint64_t bits;
  std::int64_t at;
  static WideWord of(std::uint64_t key, std::int64_t position) { return {key, position}; }
  [[nodiscard]] std::uint64_t key() const { return bits; }
  [[nodiscard]] std::int64_t position() const { return at; }
};

/// The elements of a row in as many chunks as there are tasks for it.
struct Chunks {
  std::int64_t size, count;
  const Team& team;

  /// body(chunk, begin, end), in parallel
  template <class Body>
  void for_each(Body body) const {
    const auto run = [&](std::int64_t c) { body(c, size * c / count, size * (c + 1) / count); };
    if (count == 1) return run(0);
    team.for_each(count, run);
  }
};

template <class Word>
class RadixSort {
 public:
  explicit RadixSort(Chunks chunks)
      : chunks_(chunks),
        counts_(static_cast<std::size_t>(chunks.count)) {}

  /// Sorts `words` by their keys, of which the lowest `bits` count, stably; `spare` is as long.
  /// Returns the one of both that holds the result.
  Word* sort(Word* words, Word* spare, unsigned bits) {
    // Few words are not worth many counts.
    const unsigned digit_bits = chunks_.size < few_words ? 8 : digit_bits_max;
    const unsigned passes = (bits + digit_bits - 1) / digit_bits;
    for (unsigned pass = 0; pass < passes; ++pass) {
      const unsigned begin = bits * pass / passes, end = bits * (pass + 1) / passes;
      shift_ = begin;
      mask_ = (std::uint64_t{1} << (end - begin)) - 1;
      if (!count(words)) continue;
      move(words, spare);
      std::swap(words, spare);
    }
    return words;
  }

 private:
  static constexpr unsigned digit_bits_max = 11;  // counts of a chunk stay in a first cache
  static constexpr std::int64_t few_words = std::int64_t{1} << 12;
  static constexpr std::size_t digits = std::size_t{1} << digit_bits_max;
  using Counts = std::array<std::int64_t, digits>;

  std::size_t digit(const Word& word) const {
    return static_cast<std::size_t>(word.key() >> shift_ & mask_);
  }

  // Where each chunk puts its first word of each digit. False if all words have one digit.
  bool count(const Word* words) {
    chunks_.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      Counts& counts = counts_[static_cast<std::size_t>(c)];
      std::fill_n(counts.begin(), mask_ + 1, 0);
      for (std::int64_t i = begin; i < end; ++i) ++counts[digit(words[i])];
    });
    std::int64_t next = 0;
    for (std::size_t d = 0; d <= mask_; ++d) {
      const std::int64_t before = next;
      for (Counts& counts : counts_) next += std::exchange(counts[d], next);
      if (next - before == chunks_.size) return false;
    }
    return true;
  }

  void move(const Word* from, Word* to) {
    chunks_.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      Counts& next = counts_[static_cast<std::size_t>(c)];
      for (std::int64_t i = begin; i < end; ++i) {
        const Word word = from[i];
        to[next[digit(word)]++] = word;
      }
    });
  }

  Chunks chunks_;
  unsigned shift_ = 0;
  std::uint64_t mask_ = 0;
  std::vector<Counts> counts_;  // by chunk
};

}  // namespace hasten::backends::cpu
