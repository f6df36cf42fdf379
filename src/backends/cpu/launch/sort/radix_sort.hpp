// Radix sort of words on several threads: divides by the leading digit until a part fits a cache,
// sorts the part there from its least significant digit on, and moves it from there to its place.
// Where vectors can be compared, they sort the parts, whose size leaves some for each thread.
#pragma once

#include "backends/cpu/launch/sort/chunks.hpp"
#include "backends/cpu/launch/sort/digit_passes.hpp"
#include "backends/cpu/launch/sort/radix_words.hpp"
#include "backends/cpu/launch/sort/vectors/vector_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace hasten::backends::cpu {

/// The longest digit by which words in memory are divided: Intel's processors do not follow more
/// streams of stores. 10,000,000 words of 32 bits on a thread of an Emerald Rapids take 15 ms by 6
/// bits and 54 by 8, of a Zen 4 14 and 10; of 64 bits 19 and 77, 18 and 14.
inline unsigned divided_bits() {
#if defined(__x86_64__)
  static const bool follows_few = __builtin_cpu_is("intel") != 0;
  return follows_few ? 6 : 8;
#else
  return 8;
#endif
}

/// Stable. `Results`: as of DigitPasses; may be called on any thread, for each place once.
template <class Word, class Results>
class RadixSort {
 public:
  /// Both buffers are as long as the row. `by_vectors`: no two words have all bits equal, or equal
  /// ones are interchangeable.
  RadixSort(Chunks chunks, Word* words, Word* spare, const Results& results, bool by_vectors)
      : chunks_(chunks),
        words_(words),
        spare_(spare),
        results_(results),
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
  // About as many words as a second cache holds.
  static constexpr std::int64_t cached =
      (std::int64_t{1} << 20) / static_cast<std::int64_t>(sizeof(Word));
  static constexpr std::int64_t compared = cached / 16;  // words of a part that vectors sort
  static constexpr std::int64_t task_least = cached / 16, tasks_of_thread = 16;
  static constexpr std::size_t digits = std::size_t{1} << 8;
  using Counts = std::array<std::int64_t, digits>;

  // Places, and the number of bits left to sort by.
  struct Part {
    std::int64_t begin, end;
    unsigned bits;
    [[nodiscard]] std::int64_t size() const { return end - begin; }
  };

  [[nodiscard]] bool is_divided(const Part& part, std::int64_t threads) const {
    return threads > 1 ? part.size() > 2 * chunk_least : !by_vectors_ && part.size() > cached;
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

  // For vectors, a digit for which parts of even size fit a cache; else the longest digit, which
  // leaves the fewest passes.
  [[nodiscard]] unsigned leading_bits(std::int64_t size) const {
    const unsigned most = divided_bits();
    if (!by_vectors_) return most;
    const auto parts = static_cast<std::uint64_t>(size / compared + 1);
    return std::clamp<unsigned>(static_cast<unsigned>(std::bit_width(parts)), 4, most);
  }

  // The parts between these places: those that exceed a thread's share are divided by all threads,
  // others are tasks, several parts per task where they are small.
  void sort_each(Word* words, Word* other, const std::vector<std::int64_t>& firsts, unsigned bits,
                 std::int64_t threads) {
    const std::int64_t all = firsts.back() - firsts.front();
    const std::int64_t large = std::max(cached, all / (4 * threads));
    const std::int64_t enough = std::max(task_least, all / (tasks_of_thread * threads));
    std::vector<std::vector<Part>> tasks;
    std::int64_t open = 0;  // words in the last task
    for (std::size_t d = 0; d + 1 < firsts.size(); ++d) {
      const Part part{firsts[d], firsts[d + 1], bits};
      if (part.size() == 0) continue;
      if (threads > 1 && bits > 0 && part.size() > large) {
        sort_part(words, other, part, threads);
        continue;
      }
      if (tasks.empty() || open >= enough) {
        tasks.emplace_back();
        open = 0;
      }
      tasks.back().push_back(part);
      open += part.size();
    }
    // A task's parts share the beginning of the second buffer's range, which so stays in a cache.
    const auto run = [&](std::int64_t task) {
      const std::vector<Part>& parts = tasks[static_cast<std::size_t>(task)];
      for (const Part& part : parts) sort_part(words, other, part, 1, parts[0].begin);
    };
    if (threads > 1 && tasks.size() > 1) return chunks_.team.for_each(std::ssize(tasks), run);
    for (std::int64_t task = 0; task < std::ssize(tasks); ++task) run(task);
  }

  void sort_part(Word* words, Word* other, Part part, std::int64_t threads) {
    sort_part(words, other, part, threads, part.begin);
  }

  // Of the second buffer, what is between `free` and the part's end may be overwritten.
  void sort_part(Word* words, Word* other, Part part, std::int64_t threads, std::int64_t free) {
    if (part.bits == 0) return results_(words + part.begin, part.begin, part.end);
    if (is_divided(part, threads))
      return divide([=](std::int64_t i) { return words[i]; }, other, words, part, threads);
    if (!by_vectors_)
      return DigitPasses<Word, Results>(results_, part.bits)
          .run(words + part.begin, other + free, part.size(), part.begin);
    compare_vectors(words + part.begin, part.size());
    results_(words + part.begin, part.begin, part.end);
  }

  static void compare_vectors(Word* words, std::int64_t n) {
    if constexpr (sizeof(Word) <= 8) sort_by_vectors(&words->bits, n);
  }

  Chunks chunks_;
  Word *words_, *spare_;
  const Results& results_;
  bool by_vectors_;
};

}  // namespace hasten::backends::cpu
