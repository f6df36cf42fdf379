// A row that is sorted by one component: which words move, and what is made of them in order. What
// moves with a key is the element itself where one component is all that is wanted, nothing where
// that is the key, else the position.
#pragma once

#include "backends/cpu/launch/sort/radix_sort.hpp"
#include "backends/cpu/launch/sort/sorted_row.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hasten::backends::cpu {

/// Of a key: these bits alone are sorted by.
struct KeyBits {
  unsigned lowest, count;
};

/// One component's keys, and where the row goes. With `is_ordered` keys are taken in the order that
/// the positions have.
template <class Key>
class WordSort {
 public:
  WordSort(const Key* keys, KeyBits bits, const Sorted& to, bool is_ordered, Chunks chunks)
      : keys_(keys),
        bits_(bits),
        to_(to),
        is_ordered_(is_ordered),
        chunks_(chunks),
        mask_(~std::uint64_t{0} >> (64 - bits.count)),
        others_(static_cast<std::uint64_t>(keys[0]) & ~(mask_ << bits.lowest)) {}

  void run() const {
    const bool is_short = bits_.count <= 32;
    const CarriedComponent* const beside = moved_alone();
    if (!to_.positions && !beside && all_are_keys()) {
      const auto nothing = [](std::int64_t) { return std::uint64_t{0}; };
      return is_short ? move<KeyWord>(nothing) : move<LongKeyWord>(nothing);
    }
    if constexpr (sizeof(Key) >= 4) {
      if (beside && beside->bytes == 4) {
        const auto load = [from = reinterpret_cast<const std::uint32_t*>(beside->from)](
                              std::int64_t i) { return from[i]; };
        return is_short ? move<PackedWord>(load, beside) : move<WideWord>(load, beside);
      }
      if (beside && beside->bytes == 8)
        return move<WideWord>([from = reinterpret_cast<const std::uint64_t*>(beside->from)](
                                  std::int64_t i) { return from[i]; },
                              beside);
    }
    const bool fits = is_short && chunks_.size <= std::int64_t{1} << 32;
    if (!is_ordered_) {
      const auto position = [](std::int64_t i) { return static_cast<std::uint64_t>(i); };
      return fits ? move<PackedWord>(position) : move<WideWord>(position);
    }
    const auto position = [at = to_.positions](std::int64_t i) {
      return static_cast<std::uint64_t>(at[i]);
    };
    fits ? move<PackedWord>(position) : move<WideWord>(position);
  }

 private:
  [[nodiscard]] bool is_key(const CarriedComponent& component) const {
    return component.from == reinterpret_cast<const std::byte*>(keys_);
  }
  [[nodiscard]] bool all_are_keys() const {
    return std::ranges::all_of(to_.carried, [&](const auto& each) { return is_key(each); });
  }
  // The only component that is wanted beside the key, if it is.
  [[nodiscard]] const CarriedComponent* moved_alone() const {
    if (to_.positions || is_ordered_) return nullptr;
    const CarriedComponent* found = nullptr;
    for (const CarriedComponent& each : to_.carried) {
      if (is_key(each)) continue;
      if (found) return nullptr;
      found = &each;
    }
    return found;
  }

  // Sorts by words that hold beside(i), which is an element of `component`, or else a position.
  template <class Word, class Beside>
  void move(Beside beside, const CarriedComponent* component = nullptr) const {
    const Scratch<Word> words(chunks_.size), spare(chunks_.size);
    const auto finish = [&](const Word* sorted, std::int64_t begin, std::int64_t end) {
      put(sorted, begin, end, component);
    };
    RadixSort<Word> sort(chunks_, words.data(), spare.data(), finish);
    // By value: what is written may be no part of this, for all that a compiler knows.
    const auto word = [keys = keys_, lowest = bits_.lowest, mask = mask_](std::int64_t at,
                                                                          std::uint64_t other) {
      return Word::of(std::uint64_t{keys[at]} >> lowest & mask, other);
    };
    if (!is_ordered_)
      return sort.sort([=](std::int64_t i) { return word(i, beside(i)); }, bits_.count);
    // Keys that were put in an order are where the position says, which is what moves then. They
    // are gathered once: the first pass of the sort reads twice.
    Word* const gathered = spare.data();
    chunks_.for_each([&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::uint64_t at = beside(i);
        gathered[i] = word(static_cast<std::int64_t>(at), at);
      }
    });
    sort.sort([=](std::int64_t i) { return gathered[i]; }, bits_.count);
  }

  // Words of one leading digit are given at once, so that a run never goes on in the next ones.
  template <class Word>
  void put(const Word* sorted, std::int64_t begin, std::int64_t end,
           const CarriedComponent* moved) const {
    const std::int64_t n = end - begin;
    if (std::int64_t* const positions = to_.positions)
      for (std::int64_t i = 0; i < n; ++i)
        positions[begin + i] = static_cast<std::int64_t>(sorted[i].beside());
    if (to_.heads)
      for (std::int64_t i = 0; i < n; ++i)
        to_.heads[begin + i] = std::byte{i == 0 || sorted[i].key() != sorted[i - 1].key()};
    for (const CarriedComponent& component : to_.carried)
      if (is_key(component))
        put_keys(sorted, n, reinterpret_cast<Key*>(component.to) + begin);
      else if (&component == moved)
        with_words(component, [&](const auto*, auto* to) { put_beside(sorted, n, to + begin); });
      else if (!is_ordered_)
        with_words(component, [&](const auto* from, auto* to) {
          for (std::int64_t i = 0; i < n; ++i) {
            if (i + ahead < n) __builtin_prefetch(from + sorted[i + ahead].beside());
            to[begin + i] = from[sorted[i].beside()];
          }
        });
  }

  template <class Word>
  void put_keys(const Word* sorted, std::int64_t n, Key* to) const {
    const unsigned lowest = bits_.lowest;
    const std::uint64_t others = others_;
    for (std::int64_t i = 0; i < n; ++i)
      to[i] = static_cast<Key>(sorted[i].key() << lowest | others);
  }

  template <class Word, class T>
  static void put_beside(const Word* sorted, std::int64_t n, T* to) {
    if constexpr (std::is_integral_v<T>)
      for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(sorted[i].beside());
  }

  const Key* keys_;
  KeyBits bits_;
  Sorted to_;
  bool is_ordered_;
  Chunks chunks_;
  std::uint64_t mask_;    // of keys without the bits below
  std::uint64_t others_;  // the bits of all keys that are not sorted by
};

}  // namespace hasten::backends::cpu
