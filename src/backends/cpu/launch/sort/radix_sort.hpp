// Radix sort of words on several threads: divides by the leading digit until a part fits a cache,
// sorts the part there from its least significant digit on, and moves it from there to its place.
// Where vectors can be compared, they sort the parts, whose size leaves some for each thread.
#pragma once

#include "backends/cpu/launch/sort/radix_words.hpp"
#include "backends/cpu/launch/sort/vectors/vector_sort.hpp"
#include "backends/cpu/launch/team.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace hasten::backends::cpu {

constexpr std::int64_t chunk_least = std::int64_t{1} << 15;  // the fewest elements worth a task

/// The elements of a row, in as many chunks as it has tasks.
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

/// Stable.
template <class Word>
class RadixSort {
 public:
  /// Receives words in order, with their places among all: each place once, on any thread.
  using Finish = core::FunctionRef<void(const Word* words, std::int64_t begin, std::int64_t end)>;

  /// Both buffers are as long as the row. `by_vectors`: no two words have all bits equal, or equal
  /// ones are interchangeable.
  RadixSort(Chunks chunks, Word* words, Word* spare, Finish finish, bool by_vectors)
      : chunks_(chunks),
        words_(words),
        spare_(spare),
        finish_(finish),
        by_vectors_(by_vectors && sizeof(Word) <= 8 && sorts_by_vectors()) {}

  /// Sorts load(0), load(1), ... by the lowest `bits` of their keys. The words may be in `spare`.
  template <class Load>
  void sort(Load load, unsigned bits) {
    const Part all{0, chunks_.size, bits};
    if (is_divided(all, chunks_.count)) return divide(load, words_, spare_, all, chunks_.count);
    for (std::int64_t i = 0; i < all.size(); ++i) words_[i] = load(i);
    sort_part(words_, spare_, all, 1);
  }

 private:
  // Both buffers of a part fit a second cache, next to other data.
  static constexpr std::int64_t cached =
      (std::int64_t{1} << 17) / static_cast<std::int64_t>(sizeof(Word));
  static constexpr std::int64_t few = 48;                 // sorted by insertion
  static constexpr std::int64_t task_least = cached / 2;  // words
  static constexpr unsigned digit_bits = 8;               // as many lines as fit a first cache
  // The hardware does not follow more streams of stores to memory: 10,000,000 words on a thread of
  // an Emerald Rapids take 15 ms by 6 bits and 54 by 8 (of 64 bits: 19 and 77).
  static constexpr unsigned divided_bits = 6;
  static constexpr std::size_t digits = std::size_t{1} << digit_bits;
  using Counts = std::array<std::int64_t, digits + 1>;

  // Places, and the number of bits left to sort by.
  struct Part {
    std::int64_t begin, end;
    unsigned bits;
    [[nodiscard]] std::int64_t size() const { return end - begin; }
  };

  [[nodiscard]] bool is_divided(const Part& part, std::int64_t threads) const {
    return by_vectors_ ? threads > 1 && part.size() > 2 * chunk_least : part.size() > cached;
  }

  static std::size_t digit(const Word& word, unsigned shift) {
    return static_cast<std::size_t>(word.key() >> shift & (digits - 1));
  }

  // Moves a part's words, load(i) for each place i of it, to `to` by their leading digit, and sorts
  // the words of each digit; `other` is the second buffer.
  template <class Load>
  void divide(Load load, Word* to, Word* other, Part part, std::int64_t threads) {
    const unsigned taken = std::min(part.bits, leading_bits(part.size())), rest = part.bits - taken;
    const std::int64_t count = std::clamp<std::int64_t>(part.size() / chunk_least, 1, threads);
    const Chunks chunks{part.size(), count, chunks_.team};
    const std::size_t mask = (std::size_t{1} << taken) - 1;
    const auto number = [=](const Word& word) {
      return static_cast<std::size_t>(word.key() >> rest) & mask;
    };
    std::vector<Counts> next(static_cast<std::size_t>(count));
    chunks.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      Counts& mine = next[static_cast<std::size_t>(c)];
      std::fill_n(mine.begin(), mask + 1, 0);
      for (std::int64_t i = begin; i < end; ++i) ++mine[number(load(part.begin + i))];
    });
    std::vector<std::int64_t> firsts(mask + 2);
    std::int64_t place = part.begin;
    for (std::size_t d = 0; d <= mask; ++d) {
      firsts[d] = place;
      for (Counts& mine : next) place += std::exchange(mine[d], place);
    }
    firsts[mask + 1] = place;
    chunks.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      std::int64_t* const at = next[static_cast<std::size_t>(c)].data();
      for (std::int64_t i = begin; i < end; ++i) {
        const Word word = load(part.begin + i);
        to[at[number(word)]++] = word;
      }
    });
    sort_each(to, other, firsts, rest, threads);
  }

  // A digit for which parts of even size fit the cache.
  static unsigned leading_bits(std::int64_t size) {
    const auto parts = static_cast<std::uint64_t>(size / (cached / 2) + 1);
    return std::clamp<unsigned>(static_cast<unsigned>(std::bit_width(parts)), 4, divided_bits);
  }

  // The parts between these places: those that exceed a thread's share are divided by all threads,
  // others are tasks, several parts per task where they are small.
  void sort_each(Word* words, Word* other, const std::vector<std::int64_t>& firsts, unsigned bits,
                 std::int64_t threads) {
    const std::int64_t large = std::max(cached, (firsts.back() - firsts.front()) / (4 * threads));
    std::vector<std::vector<Part>> tasks;
    std::int64_t open = 0;  // words in the last task
    for (std::size_t d = 0; d + 1 < firsts.size(); ++d) {
      const Part part{firsts[d], firsts[d + 1], bits};
      if (part.size() == 0) continue;
      if (threads > 1 && bits > 0 && part.size() > large) {
        sort_part(words, other, part, threads);
        continue;
      }
      if (tasks.empty() || open >= task_least) {
        tasks.emplace_back();
        open = 0;
      }
      tasks.back().push_back(part);
      open += part.size();
    }
    const auto run = [&](std::int64_t task) {
      for (const Part& part : tasks[static_cast<std::size_t>(task)])
        sort_part(words, other, part, 1);
    };
    if (threads > 1 && tasks.size() > 1) return chunks_.team.for_each(std::ssize(tasks), run);
    for (std::int64_t task = 0; task < std::ssize(tasks); ++task) run(task);
  }

  void sort_part(Word* words, Word* other, Part part, std::int64_t threads) {
    if (part.bits == 0) return finish_(words + part.begin, part.begin, part.end);
    if (is_divided(part, threads))
      return divide([=](std::int64_t i) { return words[i]; }, other, words, part, threads);
    if (!by_vectors_) return sort_in_cache(words, other, part);
    compare_vectors(words + part.begin, part.size());
    finish_(words + part.begin, part.begin, part.end);
  }

  static void compare_vectors(Word* words, std::int64_t n) {
    if constexpr (sizeof(Word) <= 8) sort_by_vectors(&words->bits, n);
  }

  void sort_in_cache(Word* words, Word* other, Part part) {
    Word *from = words + part.begin, *to = other + part.begin;
    const std::int64_t n = part.size();
    if (n <= few) {
      insert_each(from, n);
      return finish_(from, part.begin, part.end);
    }
    const unsigned passes = (part.bits + digit_bits - 1) / digit_bits;
    std::array<std::array<std::uint32_t, digits>, 64 / digit_bits> counts;
    for (unsigned pass = 0; pass < passes; ++pass) counts[pass].fill(0);
    for (std::int64_t i = 0; i < n; ++i)
      for (unsigned pass = 0; pass < passes; ++pass)
        ++counts[pass][digit(from[i], pass * digit_bits)];
    for (unsigned pass = 0; pass < passes; ++pass) {
      std::array<std::uint32_t, digits>& next = counts[pass];
      const unsigned shift = pass * digit_bits;
      if (next[digit(from[0], shift)] == n) continue;  // all have one digit
      std::uint32_t place = 0;
      for (std::uint32_t& count : next) place += std::exchange(count, place);
      for (std::int64_t i = 0; i < n; ++i) to[next[digit(from[i], shift)]++] = from[i];
      std::swap(from, to);
    }
    finish_(from, part.begin, part.end);
  }

  static void insert_each(Word* words, std::int64_t n) {
    for (std::int64_t i = 1; i < n; ++i) {
      const Word word = words[i];
      std::int64_t at = i;
      for (; at > 0 && words[at - 1].key() > word.key(); --at) words[at] = words[at - 1];
      words[at] = word;
    }
  }

  Chunks chunks_;
  Word *words_, *spare_;
  Finish finish_;
  bool by_vectors_;
};

}  // namespace hasten::backends::cpu
