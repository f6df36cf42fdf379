// Each byte of the keys is one stable pass: count the digits of every chunk, sum the counts in the
// order (digit, chunk), move. Components are sorted from the last to the first.
#include "backends/cpu/launch/sort.hpp"

#include <hasten/run/error.hpp>

#include "support/block_pool.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

namespace hasten::backends::cpu {
namespace {

using detail::ScalarType;

constexpr std::size_t digits = 256;
constexpr std::int64_t small_row = 512;                      // sorted by comparing
constexpr std::int64_t chunk_least = std::int64_t{1} << 15;  // elements worth a task
using Counts = std::array<std::int64_t, digits>;

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
  void swap(Scratch& other) {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  T& operator[](std::int64_t i) const { return data_[i]; }

 private:
  std::size_t bytes_;
  T* data_ = nullptr;
};

struct Keys {
  std::span<const ScalarType> types;
  std::span<const std::byte* const> data;
};

// One row of n keys which begins at element `first` of every component.
template <class Position>
class RowSort {
 public:
  RowSort(const Keys& keys, std::int64_t first, std::int64_t n, int threads)
      : keys_(keys),
        first_(first),
        n_(n),
        chunks_(std::clamp<std::int64_t>(n / chunk_least, 1, threads)),
        order_(n),
        spare_(n),
        counts_(static_cast<std::size_t>(chunks_)) {}

  void run(std::int64_t* positions) {
    for_each_chunk([&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) order_[i] = static_cast<Position>(i);
    });
    for (std::size_t leaf = keys_.types.size(); leaf-- > 0;)
      with_keys(keys_.types[leaf], keys_.data[leaf], first_,
                [&](const auto* keys) { sort_by(keys); });
    for_each_chunk([&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) positions[i] = order(i);
    });
  }

 private:
  std::int64_t order(std::int64_t i) const { return static_cast<std::int64_t>(order_[i]); }

  // body(chunk, begin, end), in parallel
  template <class Body>
  void for_each_chunk(Body body) const {
    const auto run = [&](std::int64_t c) { body(c, n_ * c / chunks_, n_ * (c + 1) / chunks_); };
    if (chunks_ == 1) return run(0);
    tbb::parallel_for(std::int64_t{0}, chunks_, run);
  }

  template <class Key>
  void sort_by(const Key* keys) {
    Scratch<Key> sorted(n_), moved(n_);
    for_each_chunk([&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) sorted[i] = keys[order(i)];
    });
    for (unsigned shift = 0; shift < 8 * sizeof(Key); shift += 8) {
      if (!count(sorted, shift)) continue;
      move(sorted, moved, shift);
      sorted.swap(moved);
      order_.swap(spare_);
    }
  }

  template <class Key>
  static std::size_t digit(Key key, unsigned shift) {
    return static_cast<std::size_t>(key >> shift) & (digits - 1);
  }

  // Where each chunk puts its first element of each digit. False if all elements have one digit.
  template <class Key>
  bool count(const Scratch<Key>& keys, unsigned shift) {
    for_each_chunk([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      Counts& counts = counts_[static_cast<std::size_t>(c)];
      counts.fill(0);
      for (std::int64_t i = begin; i < end; ++i) ++counts[digit(keys[i], shift)];
    });
    std::int64_t next = 0;
    for (std::size_t d = 0; d < digits; ++d) {
      const std::int64_t before = next;
      for (Counts& counts : counts_) next += std::exchange(counts[d], next);
      if (next - before == n_) return false;
    }
    return true;
  }

  template <class Key>
  void move(const Scratch<Key>& from, const Scratch<Key>& to, unsigned shift) {
    for_each_chunk([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      Counts& next = counts_[static_cast<std::size_t>(c)];
      for (std::int64_t i = begin; i < end; ++i) {
        const Key key = from[i];
        const std::int64_t at = next[digit(key, shift)]++;
        to[at] = key;
        spare_[at] = order_[i];
      }
    });
  }

  const Keys& keys_;
  std::int64_t first_, n_, chunks_;
  Scratch<Position> order_, spare_;
  std::vector<Counts> counts_;  // by chunk
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
  else if (n <= std::int64_t{std::numeric_limits<std::uint32_t>::max()})
    RowSort<std::uint32_t>(keys, first, n, threads).run(positions);
  else
    RowSort<std::int64_t>(keys, first, n, threads).run(positions);
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
