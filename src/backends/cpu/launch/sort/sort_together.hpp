// Sorts words on several threads by comparing vectors: all threads divide the words by a sample's
// bounds, then each sorts parts. (A sample sort: Frazer and McKellar, 1970.)
#pragma once

#include "backends/cpu/launch/sort/chunks.hpp"
#include "backends/cpu/launch/sort/vectors/vector_sort.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hasten::backends::cpu {

/// Whether that is fast: with more threads there would be too many parts for one pass.
[[nodiscard]] inline bool sorts_together(const Chunks& chunks) {
  constexpr std::int64_t threads_most = 4;
  return chunks.count > 1 && chunks.count <= threads_most && divides_by_vectors();
}

template <class Word>
class SortTogether {
 public:
  /// Stores the words of `from` in ascending order to `to`, which must not overlap it.
  SortTogether(const Word* from, Word* to, const Chunks& chunks)
      : from_(from),
        to_(to),
        chunks_(chunks),
        parts_(chunks.count > 2 ? 16 : 8) {}

  void run() {
    choose_bounds();
    std::vector<Places> places(static_cast<std::size_t>(chunks_.count));
    chunks_.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      count_by_vectors(from_ + begin, end - begin, bounds_.data(), parts_, of(places, c).data());
    });
    const Places first = find_places(places);
    chunks_.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      std::array<Word*, parts_most> to{}, ends{};
      for (std::size_t p = 0; p < static_cast<std::size_t>(parts_); ++p) {
        to[p] = to_ + of(places, c)[p];
        ends[p] = to_ + (c + 1 < chunks_.count ? of(places, c + 1)[p] : first[p + 1]);
      }
      divide_by_vectors(from_ + begin, end - begin, bounds_.data(), parts_, to.data(), ends.data());
    });
    chunks_.team.for_each(parts_, [&](std::int64_t p) {
      const auto part = static_cast<std::size_t>(p);
      sort_by_vectors(to_ + first[part], first[part + 1] - first[part]);
    });
  }

 private:
  static constexpr std::size_t parts_most = 16, samples_of_part = 64;
  using Places = std::array<std::int64_t, parts_most + 1>;  // by part

  static Places& of(std::vector<Places>& chunks, std::int64_t c) {
    return chunks[static_cast<std::size_t>(c)];
  }

  void choose_bounds() {
    std::array<Word, parts_most * samples_of_part> sample;
    const auto count = static_cast<std::int64_t>(samples_of_part) * parts_;
    const std::int64_t apart = chunks_.size / count;
    for (std::int64_t i = 0; i < count; ++i)
      sample[static_cast<std::size_t>(i)] = from_[i * apart + apart / 2];
    sort_by_vectors(sample.data(), count);
    for (std::size_t p = 1; p < static_cast<std::size_t>(parts_); ++p)
      bounds_[p - 1] = sample[p * samples_of_part];
  }

  // Replaces the counts of each chunk by places: part by part, then chunk by chunk. Returns where
  // parts begin.
  Places find_places(std::vector<Places>& chunks) const {
    Places first{};
    std::int64_t next = 0;
    for (std::size_t p = 0; p < static_cast<std::size_t>(parts_); ++p) {
      first[p] = next;
      for (Places& chunk : chunks) next += std::exchange(chunk[p], next);
      first[p + 1] = next;
    }
    return first;
  }

  const Word* from_;
  Word* to_;
  const Chunks& chunks_;
  int parts_;
  std::array<Word, parts_most> bounds_{};
};

}  // namespace hasten::backends::cpu
