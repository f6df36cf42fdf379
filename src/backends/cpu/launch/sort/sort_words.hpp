// Sorts a row by one component: which words move. What moves with a key is the elements themselves
// where only one or two short components are needed, nothing where these are the key, else the
// position.
#pragma once

#include "backends/cpu/launch/sort/float_keys.hpp"
#include "backends/cpu/launch/sort/radix_sort.hpp"
#include "backends/cpu/launch/sort/sort_together.hpp"
#include "backends/cpu/launch/sort/sorted_row.hpp"
#include "backends/cpu/launch/sort/word_results.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hasten::backends::cpu {

/// One component's keys, and the destination of the row. With `is_ordered` keys are taken in the
/// order of the positions.
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

  /// Whether threads that compare vectors sort by whole keys, where only these are needed. False
  /// otherwise, or with too many threads.
  [[nodiscard]] bool compare_vectors() const {
    if (to_.positions || is_ordered_ || !sorts_in_place()) return false;
    if (all_are_keys()) return sort_in_place();
    const CarriedComponent* const floats = moved().first;
    return floats && !moved().second && sort_floats(*floats);
  }

  void run() const {
    const bool is_short = bits_.count <= 32;
    if (!to_.positions && all_are_keys()) return sort_keys();
    for (const CarriedComponent& each : to_.carried)
      if (!is_key(each) && sort_floats(each)) return;
    if constexpr (sizeof(Key) >= 4) {
      const auto [first, second] = moved();
      if (second)
        return move<WideWord>(
            [a = words_of<std::uint32_t>(*first), b = words_of<std::uint32_t>(*second)](
                std::int64_t i) { return std::uint64_t{b[i]} << 32 | a[i]; },
            of_equals, {first, second});
      if (first && first->bytes == 4) {
        const auto load = [a = words_of<std::uint32_t>(*first)](std::int64_t i) { return a[i]; };
        return is_short ? move<PackedWord>(load, of_equals, {first})
                        : move<WideWord>(load, of_equals, {first});
      }
      if (first)
        return move<WideWord>(
            [a = words_of<std::uint64_t>(*first)](std::int64_t i) { return a[i]; }, of_equals,
            {first});
    }
    const bool fits = is_short && chunks_.size <= std::int64_t{1} << 32;
    if (!is_ordered_) {
      const auto position = [](std::int64_t i) { return static_cast<std::uint64_t>(i); };
      return fits ? move<PackedWord>(position, of_one_order) : move<WideWord>(position, of_equals);
    }
    const auto position = [at = to_.positions](std::int64_t i) {
      return static_cast<std::uint64_t>(at[i]);
    };
    fits ? move<PackedWord>(position, of_equals) : move<WideWord>(position, of_equals);
  }

 private:
  // Whether words of equal keys must keep their order, or have only one order by all their bits.
  enum Words : bool { of_equals, of_one_order };

  [[nodiscard]] bool is_key(const CarriedComponent& component) const {
    return component.from == reinterpret_cast<const std::byte*>(keys_);
  }
  [[nodiscard]] bool all_are_keys() const {
    return std::ranges::all_of(to_.carried, [&](const auto& each) { return is_key(each); });
  }
  void sort_keys() const {
    if (sort_in_place()) return;
    const auto nothing = [](std::int64_t) { return std::uint64_t{0}; };
    return bits_.count <= 32 ? move<KeyWord>(nothing, of_one_order)
                             : move<LongKeyWord>(nothing, of_one_order);
  }

  // Sorts keys into the component's destination, then replaces them by floats. False: they are no
  // keys of these floats.
  bool sort_floats(const CarriedComponent& component) const {
    if constexpr (sizeof(Key) < 4) {
      return false;
    } else {
      if (component.bytes != sizeof(Key) || is_ordered_) return false;
      const Key* const bits = reinterpret_cast<const Key*>(component.from);
      const auto floats = FloatKeys<Key>::find(keys_, bits, chunks_);
      if (!floats) return false;
      Key* const sorted = reinterpret_cast<Key*>(component.to);
      std::vector<CarriedComponent> as_keys(to_.carried.begin(), to_.carried.end());
      as_keys[static_cast<std::size_t>(&component - to_.carried.data())].from =
          reinterpret_cast<const std::byte*>(keys_);
      Sorted to = to_;
      to.carried = as_keys;
      WordSort(keys_, bits_, to, false, chunks_).run();
      chunks_.for_each([&](std::int64_t, std::int64_t begin, std::int64_t end) {
        floats->put_floats(sorted + begin, end - begin);
      });
      floats->restore_special(bits, sorted, chunks_.size);
      return true;
    }
  }

  [[nodiscard]] bool sorts_in_place() const {
    return sizeof(Key) >= 4 && (chunks_.count == 1 ? sorts_by_vectors() : sorts_together(chunks_));
  }

  // For threads that compare vectors: sorts keys in their destination. False if that is not so.
  [[nodiscard]] bool sort_in_place() const {
    if constexpr (sizeof(Key) < 4) {
      return false;
    } else {
      if (to_.carried.empty() || !sorts_in_place()) return false;
      Key* const sorted = reinterpret_cast<Key*>(to_.carried[0].to);
      if (chunks_.count == 1)
        sort_by_vectors(keys_, sorted, chunks_.size);
      else
        SortTogether(keys_, sorted, chunks_).run();
      chunks_.for_each([&](std::int64_t, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; to_.heads && i < end; ++i)
          to_.heads[i] = std::byte{i == 0 || sorted[i] != sorted[i - 1]};
        for (const CarriedComponent& other : to_.carried.subspan(1))
          std::copy(sorted + begin, sorted + end, reinterpret_cast<Key*>(other.to) + begin);
      });
      return true;
    }
  }

  // The components needed besides the key, if these can move with it.
  [[nodiscard]] MovedComponents moved() const {
    if (to_.positions || is_ordered_) return {};
    MovedComponents found;
    for (const CarriedComponent& each : to_.carried) {
      if (is_key(each)) continue;
      if (found.second || (each.bytes != 4 && each.bytes != 8)) return {};
      if (found.first && found.first->bytes + each.bytes > 8) return {};
      (found.first ? found.second : found.first) = &each;
    }
    return found;
  }
  template <class T>
  static const T* words_of(const CarriedComponent& component) {
    return reinterpret_cast<const T*>(component.from);
  }

  // Sorts by words with beside(i), which is an element of what moves, or else a position.
  template <class Word, class Beside>
  void move(Beside beside, Words kind, MovedComponents moved = {}) const {
    const Scratch<Word> words(chunks_.size), spare(chunks_.size);
    const WordResults<Key, Word> results(to_, keys_, bits_, others_, moved, !is_ordered_);
    RadixSort sort(chunks_, words.data(), spare.data(), results, kind == of_one_order);
    // Captured by value: then the compiler knows that stores do not change it.
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

  const Key* keys_;
  KeyBits bits_;
  Sorted to_;
  bool is_ordered_;
  Chunks chunks_;
  std::uint64_t mask_;    // of keys without the lower bits
  std::uint64_t others_;  // the bits of all keys that are not sorted by
};

}  // namespace hasten::backends::cpu
