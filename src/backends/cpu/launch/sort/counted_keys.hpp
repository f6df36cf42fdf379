// Keys whose range is small compared with their number: each key minus the least one is its own
// number. The numbers are counted, and every element moves to its final place at once.
#pragma once

#include "backends/cpu/launch/sort/chunks.hpp"
#include "backends/cpu/launch/sort/key_range.hpp"
#include "backends/cpu/launch/sort/sorted_row.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace hasten::backends::cpu {

/// A row of keys that is sorted by counting.
template <class Key>
class CountedKeys {
 public:
  /// The range of the keys, if they can be counted. A sample rejects most other rows.
  static std::optional<KeyRange<Key>> find(const Key* keys, const Chunks& chunks) {
    constexpr std::int64_t looked_at = 64;
    KeyRange<Key> sample;
    for (std::int64_t i = 0; i < looked_at; ++i)
      sample.add(keys[chunks.size * i / looked_at], keys[0]);
    if (!are_few(sample, chunks)) return {};
    const KeyRange<Key> range = range_of_keys(keys, chunks);
    if (!are_few(range, chunks)) return {};
    return range;
  }

  /// Counts the keys for the results that `to` asks for. With `order` keys are taken in this order.
  CountedKeys(const Key* keys, const KeyRange<Key>& range, const std::int64_t* order,
              const Sorted& to, const Chunks& chunks)
      : keys_(keys),
        order_(order),
        to_(to),
        least_(range.least),
        shift_(range.shift()),
        size_(static_cast<std::size_t>(range.last()) + 1),
        chunks_(chunks),
        places_(static_cast<std::size_t>(chunks.count) * size_),
        firsts_(asks_for_first() ? places_.size() : 0),
        begins_(size_ + 1) {
    chunks_.for_each(
        [&](std::int64_t c, std::int64_t begin, std::int64_t end) { count(c, begin, end); });
    Place next = 0;
    for (std::size_t number = 0; number < size_; ++number) {
      begins_[number] = next;
      for (std::size_t at = number; at < places_.size(); at += size_) {
        const Place count = std::exchange(places_[at], next);
        // The run starts of each chunk. Another chunk overwrites numbers that this one lacks.
        if (asks_for_first() && count > 0) to_.positions[next] = firsts_[at];
        next += count;
      }
    }
    begins_[size_] = next;
  }

  /// Moves everything to its place.
  void put() const {
    if (to_.heads) put_heads(to_.heads);
    for (const CarriedComponent& component : to_.carried)
      if (component.from == reinterpret_cast<const std::byte*>(keys_))
        put_keys(reinterpret_cast<Key*>(component.to));
      else
        with_words(component, [&](const auto* from, auto* to) {
          place(to, [from](std::int64_t i) { return from[i]; });
        });
    if (!to_.positions || asks_for_first()) return;
    if (order_)
      place(to_.positions, [order = order_](std::int64_t i) { return order[i]; });
    else
      place(to_.positions, [](std::int64_t i) { return i; });
  }

 private:
  using Place = std::uint32_t;
  // With more numbers a table of counts would not fit a second cache.
  static constexpr std::int64_t most_numbers = std::int64_t{1} << 18;
  static constexpr std::size_t copied = 2048;  // counts of which there are several copies
  static constexpr std::int64_t near = std::int64_t{1} << 20;  // bytes that a second cache holds

  // One thread adds up the counts of all chunks, which must take less time than a chunk.
  static bool are_few(const KeyRange<Key>& range, const Chunks& chunks) {
    const std::int64_t n = chunks.size;
    const std::int64_t most = std::min({most_numbers, n, 4 * n / (chunks.count * chunks.count)});
    return n <= std::numeric_limits<Place>::max() &&
           range.last() < static_cast<std::uint64_t>(most);
  }

  [[nodiscard]] bool asks_for_first() const { return to_.positions && to_.at_heads && !order_; }
  // Calls f with the function that numbers the keys in their order. The function captures by value:
  // then the compiler knows that stores do not change it.
  template <class F>
  void with_numbers(F f) const {
    const auto number = [least = least_, shift = shift_](Key key) {
      return static_cast<std::size_t>(static_cast<Key>(key - least) >> shift);
    };
    const Key* const keys = keys_;
    if (const std::int64_t* const order = order_)
      f([=](std::int64_t i) { return number(keys[order[i]]); });
    else
      f([=](std::int64_t i) { return number(keys[i]); });
  }
  [[nodiscard]] std::size_t table(std::int64_t chunk) const {
    return static_cast<std::size_t>(chunk) * size_;
  }

  void count(std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    Place* const counts = places_.data() + table(chunk);
    with_numbers([&](auto number) {
      Place* const first = asks_for_first() ? firsts_.data() + table(chunk) : nullptr;
      const bool is_soon = static_cast<std::int64_t>(size_) < (end - begin) / 32;
      if (!first || is_soon) count(counts, begin, end, number);
      if (!first) return;
      if (is_soon) return find_first(counts, first, begin, end, number);
      count(counts, begin, end, [=](std::int64_t i) {
        const std::size_t found = number(i);
        first[found] = static_cast<Place>(i);
        return found;
      });
    });
  }

  // Keys in any order contain all numbers long before the end. No branch tests whether a number is
  // new, because it would be unpredictable.
  template <class Number>
  void find_first(const Place* counts, Place* first, std::int64_t begin, std::int64_t end,
                  Number number) const {
    const auto nobody = static_cast<Place>(size_);
    std::vector<Place> slots(size_), found(size_ + 1);
    std::iota(slots.begin(), slots.end(), Place{0});
    auto left = static_cast<std::int64_t>(size_) - std::count(counts, counts + size_, Place{0});
    constexpr std::int64_t block = 64;
    for (std::int64_t i = begin; left > 0; i += block)
      for (std::int64_t j = i; j < std::min(i + block, end); ++j) {
        const Place slot = std::exchange(slots[number(j)], nobody);
        found[slot] = static_cast<Place>(j);
        left -= slot != nobody;
      }
    std::copy_n(found.begin(), size_, first);
  }

  // Visits keys from the last one on. An increment waits for the previous one of the same number:
  // neighbours use different copies of the counts.
  template <class Number>
  void count(Place* counts, std::int64_t begin, std::int64_t end, Number number) const {
    std::vector<Place> copies(size_ <= copied ? 3 * size_ : 0);
    Place* others[] = {counts, counts, counts};
    for (std::size_t i = 0; i < 3 && !copies.empty(); ++i) others[i] = copies.data() + i * size_;
    const auto [a, b, c] = others;
    std::int64_t i = end;
    for (; i - begin >= 4; i -= 4) {
      ++counts[number(i - 1)];
      ++a[number(i - 2)];
      ++b[number(i - 3)];
      ++c[number(i - 4)];
    }
    for (; i > begin; --i) ++counts[number(i - 1)];
    for (std::size_t n = 0; n < size_ && !copies.empty(); ++n) counts[n] += a[n] + b[n] + c[n];
  }

  void put_heads(std::byte* heads) const {
    chunks_.for_each([&](std::int64_t, std::int64_t begin, std::int64_t end) {
      std::fill(heads + begin, heads + end, std::byte{0});
    });
    for (std::size_t number = 0; number < size_; ++number)
      if (begins_[number + 1] > begins_[number]) heads[begins_[number]] = std::byte{1};
  }

  // Runs are short where there are many: each begins with a few unconditional stores, whose excess
  // the next run overwrites.
  void put_keys(Key* to) const {
    chunks_.for_each([&](std::int64_t, std::int64_t begin, std::int64_t end) {
      constexpr std::int64_t few = 16;
      const auto after = std::upper_bound(begins_.begin(), begins_.end(), begin);
      auto number = static_cast<std::size_t>(after - begins_.begin()) - 1;
      for (std::int64_t i = begin; i < end; ++number) {
        const std::int64_t last = std::min<std::int64_t>(begins_[number + 1], end);
        const auto key = static_cast<Key>(least_ + static_cast<Key>(Key(number) << shift_));
        if (i + few <= end) {
          for (std::int64_t j = 0; j < few; ++j) to[i + j] = key;
          if (last - i > few) std::fill(to + i + few, to + last, key);
        } else {
          std::fill(to + i, to + last, key);
        }
        i = last;
      }
    });
  }

  // to[place] = word(i)
  template <class Word, class F>
  void place(Word* to, F word) const {
    with_numbers([&](auto number) { place(to, word, number); });
  }
  template <class Word, class F, class Number>
  void place(Word* to, F word, Number number) const {
    const bool is_near = chunks_.size * static_cast<std::int64_t>(sizeof(Word)) <= near;
    chunks_.for_each([=, this](std::int64_t c, std::int64_t begin, std::int64_t end) {
      const auto first = places_.begin() + static_cast<std::ptrdiff_t>(table(c));
      std::vector<Place> next(first, first + static_cast<std::ptrdiff_t>(size_));
      Place* const at = next.data();
      std::int64_t i = begin;
      // There are more places than a second cache has lines.
      for (; !is_near && i + ahead < end; ++i) {
        __builtin_prefetch(to + at[number(i + ahead)], 1);
        to[at[number(i)]++] = word(i);
      }
      for (; i < end; ++i) to[at[number(i)]++] = word(i);
    });
  }

  const Key* keys_;
  const std::int64_t* order_;  // may be null
  const Sorted& to_;
  Key least_;
  unsigned shift_;
  std::size_t size_;
  Chunks chunks_;
  std::vector<Place> places_;  // by chunk and number: the place of the first one
  std::vector<Place> firsts_;  // by chunk and number: the first key
  std::vector<Place> begins_;  // by number, then of all keys
};

}  // namespace hasten::backends::cpu
