// A quicksort by partitions and networks of vectors.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace hasten::backends::cpu {

/// Form: `network_most`, `sort_by_network` for up to as many words, and `Partition`.
template <class Form>
class QuickSort {
 public:
  using Word = typename Form::Word;
  using Partition = typename Form::Partition;

  static void run(Word* words, std::int64_t n) {
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)));
    sort(words, n, 2 * bits);
  }

  /// The first partition copies.
  static void run(const Word* from, Word* to, std::int64_t n) {
    if (n <= Form::network_most) {
      std::copy_n(from, n, to);
      return run(to, n);
    }
    const std::int64_t below = Partition::run(from, to, n, median_of_some(from, n));
    run(to, below);
    run(to + below, n - below);
  }

 private:
  static_assert(Form::network_most >= Partition::least);
  static constexpr std::int64_t samples = 32;

  // `depth`: the most partitions that pay; more are a sign of bad pivots.
  static void sort(Word* words, std::int64_t n, int depth) {
    while (n > Form::network_most) {
      if (depth-- == 0) return std::sort(words, words + n);
      const Word pivot = median_of_some(words, n);
      std::int64_t below = Partition::run(words, n, pivot);
      if (below == 0) {  // the pivot is the least word, often because many words equal it
        below = pivot == ~Word{0} ? n : Partition::run(words, n, pivot + 1);
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
    Form::sort_by_network(words, n);
  }

  static Word median_of_some(const Word* words, std::int64_t n) {
    Word found[samples];
    const std::int64_t apart = n / samples;
    for (std::int64_t i = 0; i < samples; ++i) found[i] = words[i * apart + apart / 2];
    Form::sort_by_network(found, samples);
    return found[samples / 2];
  }
};

}  // namespace hasten::backends::cpu
