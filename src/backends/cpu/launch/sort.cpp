// Of each component of the keys, the bits that differ at all are sorted by, in one pass for each 8
// of them: count the digits of every chunk, sum the counts in the order (digit, chunk), move.
#include "backends/cpu/launch/sort.hpp"

#include "backends/cpu/launch/distinct_keys.hpp"
#include "backends/cpu/launch/radix_sort.hpp"

#include <hasten/run/error.hpp>

#include "support/block_pool.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <numeric>
#include <vector>

namespace hasten::backends::cpu {
namespace {

using detail::ScalarType;

constexpr std::int64_t small_row = 512;  // sorted by comparing
// Few different keys are numbered where that saves two passes and more.
constexpr unsigned numbered_bits_min = 34;
constexpr std::int64_t numbered_least = std::int64_t{1} << 16, sample_size = 4096;
constexpr std::int64_t chunk_least = std::int64_t{1} << 15;  // elements worth a task

// f with a typed pointer to the component's keys of a row.
template <class F>
auto with_keys(ScalarType type, const std::byte* data, std::int64_t first, F f) {
  const auto as = [&]<class T>(T*) { return f(reinterpret_cast<const T*>(data) + first); };
  switch (type) {
    case ScalarType::boolean:
    case ScalarType::u8: return as(static_cast<std::uint8_t*>(nullptr));
    case ScalarType::u16: return as(static_cast<std::uint16_t*>(nullptr));
    case ScalarType::u32: return as(static_cast<std::uint32_t*>(nullptr));
    case ScalarType::u64: return as(static_cast<std::uint64_t*>(nullptr));
    default: throw InternalError("sort: keys of a signed or floating type");
  }
}

// Memory that is kept for reuse and not written before its use.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::int64_t size) : bytes_(static_cast<std::size_t>(size) * sizeof(T)) {
    data_ = reinterpret_cast<T*>(support::take_block(bytes_));
    if (!data_) throw MemoryError("sort: there is no memory for the positions");
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { support::give_block(reinterpret_cast<std::byte*>(data_), bytes_); }
  [[nodiscard]] T* data() const { return data_; }

 private:
  std::size_t bytes_;
  T* data_ = nullptr;
};

struct Keys {
  std::span<const ScalarType> types;
  std::span<const std::byte* const> data;
};

// One row of n keys which begins at element `first` of every component. Components are sorted from
// the last to the first, each stably: each keeps the order of those after it.
class RowSort {
 public:
  RowSort(const Keys& keys, std::int64_t first, std::int64_t n, int threads)
      : keys_(keys),
        first_(first),
        chunks_{n, std::clamp<std::int64_t>(n / chunk_least, 1, threads)} {}

  void run(std::int64_t* positions) {
    bool is_ordered = false;  // positions hold an order
    for (std::size_t leaf = keys_.types.size(); leaf-- > 0;)
      with_keys(keys_.types[leaf], keys_.data[leaf], first_,
                [&](const auto* keys) { is_ordered |= sort_by(keys, positions, is_ordered); });
    if (is_ordered) return;
    chunks_.for_each([&](std::int64_t, std::int64_t begin, std::int64_t end) {
      std::iota(positions + begin, positions + end, begin);
    });
  }

 private:
  // False if all keys are one.
  template <class Key>
  bool sort_by(const Key* keys, std::int64_t* positions, bool is_ordered) const {
    const std::uint64_t varying = varying_bits(keys);
    if (varying == 0) return false;
    const auto lowest = static_cast<unsigned>(std::countr_zero(varying));
    const auto bits = static_cast<unsigned>(std::bit_width(varying)) - lowest;
    const bool fits = chunks_.size <= std::int64_t{1} << 32;
    const Range range{lowest, bits};
    if (fits && bits >= numbered_bits_min && are_few(keys) &&
        sort_numbered(keys, positions, is_ordered))
      return true;
    if (fits && bits <= 32)
      sort_words<PackedWord>(keys, range, positions, is_ordered);
    else
      sort_words<WideWord>(keys, range, positions, is_ordered);
    return true;
  }

  // Of a sample fewer keys are different than would be if `most` were.
  template <class Key>
  [[nodiscard]] bool are_few(const Key* keys) const {
    if (chunks_.size < numbered_least) return false;
    DistinctKeys<Key> found;
    for (std::int64_t i = 0; i < sample_size; ++i)
      (void)found.number_of(keys[chunks_.size / sample_size * i]);
    return std::ssize(found.keys()) < sample_size * 7 / 8;
  }

  // Few different keys are sorted by their numbers in the order of keys, which have fewer bits.
  // False if there are too many.
  template <class Key>
  bool sort_numbered(const Key* keys, std::int64_t* positions, bool is_ordered) const {
    std::vector<DistinctKeys<Key>> found(static_cast<std::size_t>(chunks_.count));
    const Scratch<std::uint32_t> numbers(chunks_.size);
    std::atomic<bool> too_many = false;
    chunks_.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      DistinctKeys<Key>& mine = found[static_cast<std::size_t>(c)];
      for (std::int64_t i = begin; i < end; ++i) {
        numbers.data()[i] = mine.number_of(keys[is_ordered ? positions[i] : i]);
        if (numbers.data()[i] != DistinctKeys<Key>::most) continue;
        too_many = true;
        return;
      }
    });
    if (too_many) return false;
    std::size_t count = 0;
    const std::vector<std::vector<std::uint32_t>> ranks = ranks_of(found, count);
    sort_made<PackedWord>(static_cast<unsigned>(std::bit_width(count - 1)), positions,
                          [&](std::int64_t c, std::int64_t i) {
                            const auto& mine = ranks[static_cast<std::size_t>(c)];
                            return PackedWord::of(mine[numbers.data()[i]],
                                                  is_ordered ? positions[i] : i);
                          });
    return true;
  }

  // By chunk and number: where the key stands among all that were found, of which there are
  // `count`.
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
      Key varying = 0;
      for (std::int64_t i = begin; i < end; ++i)
        varying = static_cast<Key>(varying | (keys[i] ^ keys[0]));
      found[static_cast<std::size_t>(c)] = varying;
    });
    return std::reduce(found.begin(), found.end(), std::uint64_t{0}, std::bit_or<>());
  }

  // Of a key: these bits alone are sorted by.
  struct Range {
    unsigned lowest, count;
  };

  template <class Word, class Key>
  void sort_words(const Key* keys, Range bits, std::int64_t* positions, bool is_ordered) const {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits.count);
    sort_made<Word>(bits.count, positions, [&](std::int64_t, std::int64_t i) {
      const std::int64_t at = is_ordered ? positions[i] : i;
      return Word::of(std::uint64_t{keys[at]} >> bits.lowest & mask, at);
    });
  }

  // Sorts the words word(chunk, i), of which these bits of the keys count.
  template <class Word, class Make>
  void sort_made(unsigned bits, std::int64_t* positions, Make word) const {
    const Scratch<Word> words(chunks_.size), spare(chunks_.size);
    chunks_.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) words.data()[i] = word(c, i);
    });
    const Word* const sorted = RadixSort<Word>(chunks_).sort(words.data(), spare.data(), bits);
    chunks_.for_each([&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) positions[i] = sorted[i].position();
    });
  }

  const Keys& keys_;
  std::int64_t first_;
  Chunks chunks_;
};

// Negative, zero or positive, as the key at a is before, equal to or after the one at b.
int compare(const Keys& keys, std::int64_t first, std::int64_t a, std::int64_t b) {
  for (std::size_t leaf = 0; leaf < keys.types.size(); ++leaf) {
    const int order = with_keys(keys.types[leaf], keys.data[leaf], first, [=](const auto* row) {
      return static_cast<int>(row[a] > row[b]) - static_cast<int>(row[a] < row[b]);
    });
    if (order != 0) return order;
  }
  return 0;
}

void sort_small(const Keys& keys, std::int64_t first, std::int64_t n, std::int64_t* positions) {
  std::iota(positions, positions + n, std::int64_t{0});
  std::sort(positions, positions + n, [&](std::int64_t a, std::int64_t b) {
    const int order = compare(keys, first, a, b);
    return order != 0 ? order < 0 : a < b;  // first of equals first
  });
}

void sort_row(const Keys& keys, std::int64_t first, std::int64_t n, std::int64_t* positions,
              int threads) {
  if (n < small_row)
    sort_small(keys, first, n, positions);
  else
    RowSort(keys, first, n, threads).run(positions);
}

}  // namespace

void sort_positions(std::span<const std::int64_t> extents, std::span<const ScalarType> types,
                    std::span<const std::byte* const> data, std::int64_t* positions, int threads) {
  const Keys keys{types, data};
  const std::int64_t n = extents.back();
  std::int64_t rows = 1;
  for (const std::int64_t extent : extents.first(extents.size() - 1)) rows *= extent;
  if (n == 0) return;
  const bool by_row = rows >= threads;
  const auto row = [&](std::int64_t r) {
    sort_row(keys, r * n, n, positions + r * n, by_row ? 1 : threads);
  };
  if (by_row && rows * n >= chunk_least)
    tbb::parallel_for(std::int64_t{0}, rows, row);
  else
    for (std::int64_t r = 0; r < rows; ++r) row(r);
}

}  // namespace hasten::backends::cpu
