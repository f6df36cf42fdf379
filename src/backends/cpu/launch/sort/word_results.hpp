// What a sort by words stores of the words in order: their keys, the positions or elements beside
// these, and where runs of equal keys begin.
#pragma once

#include "backends/cpu/launch/sort/sorted_row.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hasten::backends::cpu {

/// The bits of a key that are sorted by.
struct KeyBits {
  unsigned lowest, count;
};

/// The components whose elements are beside a key, from the lowest bits on: one of 4 or 8 bytes, or
/// two of 4. None: positions are.
struct MovedComponents {
  const CarriedComponent* first = nullptr;
  const CarriedComponent* second = nullptr;
};

/// Results of words for DigitPasses. Components that neither hold the keys nor move are gathered by
/// positions.
template <class Key, class Word>
class WordResults {
 public:
  /// `others`: the bits that all keys share. `takes_carried`: whether what is carried is stored.
  WordResults(const Sorted& to, const Key* keys, KeyBits bits, std::uint64_t others,
              MovedComponents moved, bool takes_carried)
      : to_(to),
        keys_(keys),
        moved_(moved),
        lowest_(bits.lowest),
        others_(others),
        takes_carried_(takes_carried),
        each_(find_each()) {}

  [[nodiscard]] bool each() const { return each_; }

  /// Stores one word's results, if each().
  void operator()(const Word& word, std::int64_t place) const {
    if (to_key_) to_key_[place] = key_of(word);
    if (to_.positions) to_.positions[place] = static_cast<std::int64_t>(word.beside());
    if (to_long_) to_long_[place] = word.beside();
    if (to_first_) to_first_[place] = static_cast<std::uint32_t>(word.beside());
    if (to_second_) to_second_[place] = static_cast<std::uint32_t>(word.beside() >> 32);
  }

  /// Receives all words of one leading digit at once, so that no run continues in the next call.
  void operator()(const Word* sorted, std::int64_t begin, std::int64_t end) const {
    const std::int64_t n = end - begin;
    if (std::int64_t* const positions = to_.positions)
      for (std::int64_t i = 0; i < n; ++i)
        positions[begin + i] = static_cast<std::int64_t>(sorted[i].beside());
    if (to_.heads)
      for (std::int64_t i = 0; i < n; ++i)
        to_.heads[begin + i] = std::byte{i == 0 || sorted[i].key() != sorted[i - 1].key()};
    if (!takes_carried_) return;
    for (const CarriedComponent& component : to_.carried)
      if (is_key(component))
        for (std::int64_t i = 0; i < n; ++i)
          reinterpret_cast<Key*>(component.to)[begin + i] = key_of(sorted[i]);
      else if (&component == moved_.first || &component == moved_.second)
        with_words(component, [&](const auto*, auto* to) {
          put_beside(sorted, n, to + begin, &component == moved_.first ? 0 : 32);
        });
      else
        with_words(component, [&](const auto* from, auto* to) {
          for (std::int64_t i = 0; i < n; ++i) {
            if (i + ahead < n) __builtin_prefetch(from + sorted[i + ahead].beside());
            to[begin + i] = from[sorted[i].beside()];
          }
        });
  }

 private:
  [[nodiscard]] bool is_key(const CarriedComponent& component) const {
    return component.from == reinterpret_cast<const std::byte*>(keys_);
  }
  [[nodiscard]] Key key_of(const Word& word) const {
    return static_cast<Key>(word.key() << lowest_ | others_);
  }

  // Finds the destinations of single words; false if a result needs more than its word.
  bool find_each() {
    if (to_.heads) return false;
    if (!takes_carried_) return true;
    for (const CarriedComponent& component : to_.carried)
      if (is_key(component)) {
        if (to_key_) return false;
        to_key_ = reinterpret_cast<Key*>(component.to);
      } else if (&component == moved_.first && component.bytes == 8) {
        to_long_ = reinterpret_cast<std::uint64_t*>(component.to);
      } else if (&component == moved_.first || &component == moved_.second) {
        (&component == moved_.first ? to_first_ : to_second_) =
            reinterpret_cast<std::uint32_t*>(component.to);
      } else {
        return false;
      }
    return true;
  }

  template <class T>
  static void put_beside(const Word* sorted, std::int64_t n, T* to, unsigned shift) {
    if constexpr (std::is_integral_v<T>)
      for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(sorted[i].beside() >> shift);
  }

  Sorted to_;
  const Key* keys_;
  MovedComponents moved_;
  unsigned lowest_;
  std::uint64_t others_;
  bool takes_carried_;
  Key* to_key_ = nullptr;
  std::uint64_t* to_long_ = nullptr;
  std::uint32_t *to_first_ = nullptr, *to_second_ = nullptr;
  bool each_;
};

}  // namespace hasten::backends::cpu
