// Each component of the keys is sorted by those bits that differ at all. Keys with a small range,
// and few distinct keys, are counted; others are radix sorted.
#include "backends/cpu/launch/sort/sort.hpp"

#include "backends/cpu/launch/sort/counted_keys.hpp"
#include "backends/cpu/launch/sort/distinct_keys.hpp"
#include "backends/cpu/launch/sort/row_words.hpp"
#include "backends/cpu/launch/sort/select_few.hpp"
#include "backends/cpu/launch/sort/select_first.hpp"
#include "backends/cpu/launch/sort/short_rows.hpp"
#include "backends/cpu/launch/sort/sort_keys.hpp"
#include "backends/cpu/launch/sort/sort_words.hpp"
#include "backends/cpu/launch/sort/sorted_row.hpp"
#include "backends/cpu/launch/sort/vectors/vector_sort.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

namespace hasten::backends::cpu {
namespace {

using detail::ScalarType;

// Few distinct keys are numbered where that saves more than two passes.
constexpr unsigned numbered_bits_min = 34;
constexpr unsigned counted_bits = 8;
constexpr std::int64_t numbered_least = std::int64_t{1} << 16, sample_size = 4096;

// Sets the heads from `begin` to `end`, by all components.
void note_runs(const Keys& keys, std::int64_t first, const Sorted& to, std::int64_t begin,
               std::int64_t end) {
  for (std::int64_t i = begin; to.heads && i < end; ++i)
    to.heads[i] =
        std::byte{i == 0 || compare(keys, first, to.positions[i - 1], to.positions[i]) != 0};
}

std::int64_t chunks_of(std::int64_t n, int threads) {
  return std::clamp<std::int64_t>(n / chunk_least, 1, threads);
}

// One row of n keys that begins at element `first` of every component. Components are sorted from
// the last to the first, each stably, so that each keeps the order of those after it.
class RowSort {
 public:
  RowSort(const Keys& keys, std::int64_t first, std::int64_t n, int threads, const Team& team)
      : keys_(keys),
        first_(first),
        chunks_{n, chunks_of(n, threads), team} {}

  void run(const Sorted& to) {
    if (select_first(keys_, first_, chunks_, to.first, to.positions)) return;
    if (to.positions || keys_.types.size() == 1) return sort(to);
    // Each component needs the order that the one before has made.
    const Scratch<std::int64_t> positions(chunks_.size);
    Sorted own = to;
    own.positions = positions.data();
    sort(own);
  }

 private:
  void sort(const Sorted& to) {
    // Neighbours are compared, and elements moved, at once only if there is a single component.
    const bool is_one = keys_.types.size() == 1;
    const Sorted last = is_one ? to : Sorted{to.positions, nullptr, false, {}, to.first};
    bool is_ordered = false;  // positions hold an order
    is_done_ = false;
    for (std::size_t leaf = keys_.types.size(); leaf-- > 0;)
      with_keys(keys_.types[leaf], keys_.data[leaf], first_,
                [&](const auto* keys) { is_ordered |= sort_by(keys, last, is_ordered); });
    if (is_done_) return;
    if (!is_ordered) return leave_all(to);
    if (!last.heads)
      chunks_.for_each([&](std::int64_t, std::int64_t begin, std::int64_t end) {
        note_runs(keys_, first_, to, begin, end);
      });
    for (const CarriedComponent& component : to.carried) carry(component, to.positions);
  }

  // All keys are equal.
  void leave_all(const Sorted& to) const {
    chunks_.for_each([&](std::int64_t, std::int64_t begin, std::int64_t end) {
      if (to.positions) std::iota(to.positions + begin, to.positions + end, begin);
      for (std::int64_t i = begin; to.heads && i < end; ++i) to.heads[i] = std::byte{i == 0};
      for (const CarriedComponent& component : to.carried)
        with_words(component, [=](const auto* from, auto* words) {
          std::copy(from + begin, from + end, words + begin);
        });
    });
  }

  void carry(const CarriedComponent& component, const std::int64_t* positions) const {
    with_words(component, [&](const auto* from, auto* to) {
      chunks_.for_each([&](std::int64_t, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          if (i + ahead < end) __builtin_prefetch(from + positions[i + ahead]);
          to[i] = from[positions[i]];
        }
      });
    });
  }

  static KeyBits range_of(std::uint64_t varying) {
    const auto lowest = static_cast<unsigned>(std::countr_zero(varying));
    return {lowest, static_cast<unsigned>(std::bit_width(varying)) - lowest};
  }

  // Returns false if all keys are equal.
  template <class Key>
  bool sort_by(const Key* keys, const Sorted& to, bool is_ordered) {
    if (const auto few = CountedKeys<Key>::find(keys, chunks_)) {
      if (few->varying == 0) return false;
      sort_counted(keys, *few, to, is_ordered);
      return true;
    }
    const bool fits = chunks_.size <= std::int64_t{1} << 32;
    if (fits && are_few(keys) && sort_numbered(keys, to, is_ordered)) return true;
    if (are_varied(keys) &&
        WordSort<Key>(keys, {0, 8 * sizeof(Key)}, to, is_ordered, chunks_).compare_vectors()) {
      is_done_ = keys_.types.size() == 1;
      return true;
    }
    const std::uint64_t varying = varying_bits(keys);
    if (varying == 0) return false;
    sort_words(keys, range_of(varying), to, is_ordered);
    return true;
  }

  // Whether a small sample varies in more bits than are counted, so that not all keys need be read.
  template <class Key>
  [[nodiscard]] bool are_varied(const Key* keys) const {
    constexpr std::int64_t looked_at = 64;
    std::uint64_t varying = 0;
    for (std::int64_t i = 0; i < looked_at; ++i)
      varying |= keys[chunks_.size * i / looked_at] ^ keys[0];
    return varying != 0 && range_of(varying).count > counted_bits;
  }

  // Whether a sample varies in more bits than suit radix passes, and has fewer distinct keys than
  // if there were `most`.
  template <class Key>
  [[nodiscard]] bool are_few(const Key* keys) const {
    if (8 * sizeof(Key) < numbered_bits_min || chunks_.size < numbered_least) return false;
    DistinctKeys<Key> found;
    std::uint64_t varying = 0;
    for (std::int64_t i = 0; i < sample_size; ++i) {
      const Key key = keys[chunks_.size / sample_size * i];
      (void)found.number_of(key);
      varying |= key ^ keys[0];
    }
    return varying != 0 && range_of(varying).count >= numbered_bits_min &&
           std::ssize(found.keys()) < sample_size * 7 / 8;
  }

  template <class Key>
  void sort_counted(const Key* keys, const KeyRange<Key>& range, const Sorted& to,
                    bool is_ordered) {
    std::vector<std::int64_t> order;
    if (is_ordered) order.assign(to.positions, to.positions + chunks_.size);
    CountedKeys<Key>(keys, range, is_ordered ? order.data() : nullptr, to, chunks_).put();
    is_done_ = keys_.types.size() == 1;
  }

  // Numbers few distinct keys, counts them and stores them in order, at once with what is carried.
  // Returns false if there are too many.
  template <class Key>
  bool sort_numbered(const Key* keys, const Sorted& to, bool is_ordered) {
    std::vector<DistinctKeys<Key>> found(static_cast<std::size_t>(chunks_.count));
    std::vector<Counts> counts(found.size());  // by chunk and number
    const Scratch<std::uint16_t> numbers(chunks_.size);
    std::atomic<bool> too_many = false;
    chunks_.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      DistinctKeys<Key>& mine = found[static_cast<std::size_t>(c)];
      Counts count(DistinctKeys<Key>::most);
      for (std::int64_t i = begin; i < end; ++i) {
        const std::uint32_t number = mine.number_of(keys[is_ordered ? to.positions[i] : i]);
        if (number == DistinctKeys<Key>::most) return too_many.store(true);
        numbers.data()[i] = static_cast<std::uint16_t>(number);
        ++count[number];
      }
      counts[static_cast<std::size_t>(c)] = std::move(count);
    });
    if (too_many) return false;
    std::size_t count = 0;
    const std::vector<std::vector<std::uint32_t>> ranks = ranks_of(found, count);
    if (count > DistinctKeys<Key>::most) return false;
    find_places(ranks, count, counts, to.heads);
    const auto number = [all = numbers.data()](std::int64_t i) { return all[i]; };
    if (is_ordered) {
      const std::vector<std::int64_t> order(to.positions, to.positions + chunks_.size);
      place(number, counts, to.positions, [&](std::int64_t i) { return order[i]; });
      return true;
    }
    for (const CarriedComponent& component : to.carried)
      with_words(component, [&](const auto* from, auto* words) {
        place(number, counts, words, [from](std::int64_t i) { return from[i]; });
      });
    if (to.positions && to.at_heads)
      place_first(numbers.data(), counts, ranks, to.positions);
    else if (to.positions)
      place(number, counts, to.positions, [](std::int64_t i) { return i; });
    is_done_ = keys_.types.size() == 1;
    return true;
  }

  using Counts = std::vector<std::int64_t>;

  // Replaces counts by places of each chunk's first key of each number: by rank, then by chunk.
  void find_places(const std::vector<std::vector<std::uint32_t>>& ranks, std::size_t count,
                   std::vector<Counts>& counts, std::byte* heads) const {
    std::vector<Counts> by_rank(ranks.size(), Counts(count));
    const auto each = [&](auto f) {
      for (std::size_t chunk = 0; chunk < ranks.size(); ++chunk)
        for (std::size_t number = 0; number < ranks[chunk].size(); ++number)
          f(counts[chunk][number], by_rank[chunk][ranks[chunk][number]]);
    };
    each([](std::int64_t own, std::int64_t& all) { all = own; });
    if (heads) std::fill_n(heads, chunks_.size, std::byte{0});
    std::int64_t next = 0;
    for (std::size_t rank = 0; rank < count; ++rank) {
      if (heads) heads[next] = std::byte{1};
      for (Counts& chunk : by_rank) next += std::exchange(chunk[rank], next);
    }
    each([](std::int64_t& own, std::int64_t first) { own = first; });
  }

  // to[place] = word(i), from these places on. There are more places than a second cache has lines.
  template <class Number, class Word, class F>
  void place(Number number, const std::vector<Counts>& places, Word* to, F word) const {
    chunks_.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      Counts next = places[static_cast<std::size_t>(c)];
      std::int64_t* const at = next.data();
      for (std::int64_t i = begin; i < end; ++i) {
        if (i + ahead < end) __builtin_prefetch(to + at[number(i + ahead)], 1);
        to[at[number(i)]++] = word(i);
      }
    });
  }

  // Stores only the first positions of each chunk's keys, run starts among them. Numbers were
  // assigned in the order in which keys were met, so the next number is met for the first time.
  void place_first(const std::uint16_t* numbers, const std::vector<Counts>& places,
                   const std::vector<std::vector<std::uint32_t>>& ranks,
                   std::int64_t* positions) const {
    chunks_.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      const Counts& first = places[static_cast<std::size_t>(c)];
      const std::size_t count = ranks[static_cast<std::size_t>(c)].size();
      std::size_t next = 0;
      for (std::int64_t i = begin; i < end && next < count; ++i)
        if (numbers[i] == next) positions[first[next++]] = i;
    });
  }

  // By chunk and number: the key's rank among all distinct keys, of which there are `count`.
  template <class Key>
  static std::vector<std::vector<std::uint32_t>> ranks_of(
      const std::vector<DistinctKeys<Key>>& found, std::size_t& count) {
    std::vector<Key> all;
    for (const DistinctKeys<Key>& each : found)
      all.insert(all.end(), each.keys().begin(), each.keys().end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    count = all.size();
    std::vector<std::vector<std::uint32_t>> ranks;
    for (const DistinctKeys<Key>& each : found) {
      ranks.emplace_back();
      for (const Key key : each.keys())
        ranks.back().push_back(static_cast<std::uint32_t>(
            std::lower_bound(all.begin(), all.end(), key) - all.begin()));
    }
    return ranks;
  }

  // Bits in which some key differs from the first one.
  template <class Key>
  [[nodiscard]] std::uint64_t varying_bits(const Key* keys) const {
    std::vector<std::uint64_t> found(static_cast<std::size_t>(chunks_.count));
    chunks_.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      constexpr std::int64_t block = 4096;  // constant, so that the inner loop is vectorised
      const Key one = keys[0];
      Key varying = 0;
      std::int64_t i = begin;
      for (; i + block <= end; i += block)
        for (std::int64_t j = 0; j < block; ++j)
          varying = static_cast<Key>(varying | (keys[i + j] ^ one));
      for (; i < end; ++i) varying = static_cast<Key>(varying | (keys[i] ^ one));
      found[static_cast<std::size_t>(c)] = varying;
    });
    return std::reduce(found.begin(), found.end(), std::uint64_t{0}, std::bit_or<>());
  }

  template <class Key>
  void sort_words(const Key* keys, KeyBits bits, const Sorted& to, bool is_ordered) {
    WordSort<Key>(keys, bits, to, is_ordered, chunks_).run();
    is_done_ = keys_.types.size() == 1;
  }

  const Keys& keys_;
  std::int64_t first_;
  Chunks chunks_;
  bool is_done_ = false;  // nothing is left to be moved
};

bool is_ordered_by_words(const Keys& keys, std::int64_t first, std::int64_t n,
                         std::int64_t* positions) {
  if (keys.types.size() != 1) return false;
  return with_keys(keys.types[0], keys.data[0], first,
                   [=](const auto* row) { return order_by_words(row, n, positions); });
}

void sort_small(const Keys& keys, std::int64_t first, std::int64_t n, Sorted to) {
  std::array<std::int64_t, small_row> own;
  if (!to.positions) to.positions = own.data();
  if (!is_ordered_by_words(keys, first, n, to.positions)) {
    std::iota(to.positions, to.positions + n, std::int64_t{0});
    const auto before = [&](std::int64_t a, std::int64_t b) {
      return is_before(keys, first, a, b);
    };
    if (to.first < n / 4)
      std::partial_sort(to.positions, to.positions + to.first, to.positions + n, before);
    else
      std::sort(to.positions, to.positions + n, before);
  }
  note_runs(keys, first, to, 0, n);
  for (const CarriedComponent& component : to.carried)
    with_words(component, [&](const auto* from, auto* words) {
      for (std::int64_t i = 0; i < n; ++i) words[i] = from[to.positions[i]];
    });
}

// A short row of keys of which nothing else is wanted.
bool is_sorted_alone(const Keys& keys, std::int64_t first, const Sorted& to, const Chunks& row) {
  if (to.positions || keys.types.size() != 1) return false;
  return with_keys(keys.types[0], keys.data[0], first, [&]<class Key>(const Key* own) {
    return WordSort<Key>(own, {0, 8 * sizeof(Key)}, to, false, row).compare_vectors();
  });
}

void sort_row(const Keys& keys, std::int64_t first, std::int64_t n, const Sorted& to, int threads,
              const Team& team) {
  const bool is_apart =
      to.positions && !to.heads && to.carried.empty() && chunks_of(n, threads) == 1;
  if (is_apart && select_few(keys, first, n, to.first, to.positions)) return;
  if (n >= small_row) return RowSort(keys, first, n, threads, team).run(to);
  if (!is_sorted_alone(keys, first, to, {n, 1, team})) sort_small(keys, first, n, to);
}

}  // namespace

void sort_positions(std::span<const std::int64_t> extents, std::span<const ScalarType> types,
                    std::span<const std::byte* const> data, const SortedKeys& to,
                    const Team& team) {
  const Keys keys{types, data};
  const std::int64_t n = extents.back();
  std::int64_t rows = 1;
  for (const std::int64_t extent : extents.first(extents.size() - 1)) rows *= extent;
  const std::int64_t first = std::clamp<std::int64_t>(to.first, 0, n);
  if (first == 0 || rows == 0) return;
  const bool is_short =
      n <= network_most && types.size() == 1 && to.positions && !to.heads && to.carried.empty();
  const int threads = team.threads();
  const bool by_row = rows >= threads;
  const auto row = [&](std::int64_t r) {
    const Sorted own{to.positions ? to.positions + r * n : nullptr,
                     to.heads ? to.heads + r * n : nullptr, to.at_heads, to.carried, first};
    sort_row(keys, r * n, n, own, by_row ? 1 : threads, team);
  };
  try {
    if (is_short)
      order_short_rows(keys, rows, n, to.positions, team);
    else if (by_row && rows * n >= chunk_least)
      team.for_each(rows, row);
    else
      for (std::int64_t r = 0; r < rows; ++r) row(r);
  } catch (const std::bad_alloc&) {
    throw MemoryError("sort: there is no memory for the positions");
  }
}

}  // namespace hasten::backends::cpu
