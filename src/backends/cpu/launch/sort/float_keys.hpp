// Floats sorted by their own value: the data that moves with such a key is the float it was made
// from, so that only keys need to move. Zeros of either sign share a key, and so do NaNs: only
// these cannot be recovered from their keys.
#pragma once

#include "backends/cpu/launch/sort/chunks.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace hasten::backends::cpu {

/// Keys of floats of the same size, as surface/public/sorting.cpp makes them.
template <class Key>
class FloatKeys {
 public:
  /// Nothing: the keys do not belong to floats with these bits. Each thread tests a chunk. O(n),
  /// and far less where the first keys fail.
  static std::optional<FloatKeys> find(const Key* keys, const Key* bits, const Chunks& chunks) {
    std::int64_t first = 0;
    while (first < chunks.size && keys[first] == of_nan) ++first;
    if (first == chunks.size) return {};
    FloatKeys found;
    if (!found.is_key(keys[first], bits[first])) found.flip_ = ~Key{0};
    std::atomic<bool> are_floats = true, has_special = false;
    chunks.for_each([&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end && are_floats; i += block) {
        const std::int64_t n = std::min(block, end - i);
        if (!found.differ(keys + i, bits + i, n)) continue;
        has_special = true;
        for (std::int64_t j = i; j < i + n; ++j)
          if (!found.is_key(keys[j], bits[j])) are_floats = false;
      }
    });
    if (!are_floats) return {};
    found.has_special_ = has_special;
    return found;
  }

  /// Replaces keys by their floats, in place: 0 for a zero.
  void put_floats(Key* keys, std::int64_t n) const {
    in_blocks(n, [&](std::int64_t begin, auto size) {
      for (std::int64_t i = 0; i < size; ++i) keys[begin + i] = bits_of(keys[begin + i]);
    });
  }

  /// For sorted floats: puts zeros and NaNs in the order in which `bits` has them.
  void restore_special(const Key* bits, Key* sorted, std::int64_t n) const {
    if (!has_special_) return;
    const auto place_of = [&](auto is_before) {
      return std::partition_point(sorted, sorted + n, is_before);
    };
    const bool ascending = flip_ == 0;
    Key* zero = place_of(
        [&](Key x) { return !is_nan(x) && (x & ~sign) != 0 && ((x & sign) != 0) == ascending; });
    Key* nan = place_of([](Key x) { return !is_nan(x); });
    for (std::int64_t i = 0; i < n; ++i)
      if ((bits[i] & ~sign) == 0)
        *zero++ = bits[i];
      else if (is_nan(bits[i]))
        *nan++ = bits[i];
  }

 private:
  static constexpr unsigned width = 8 * sizeof(Key);
  static constexpr Key sign = static_cast<Key>(Key{1} << (width - 1)), of_nan = ~Key{0};
  static constexpr Key infinity = sizeof(Key) == 4 ? Key{0x7F800000} : Key(0x7FF0000000000000U);
  static constexpr std::int64_t block = 4096;

  // Calls f(begin, size) on blocks, most of them of a constant size, for which the compiler
  // vectorises it.
  template <class F>
  static void in_blocks(std::int64_t n, F f) {
    std::int64_t i = 0;
    for (; i + block <= n; i += block) f(i, std::integral_constant<std::int64_t, block>{});
    f(i, n - i);
  }

  static bool is_nan(Key bits) { return (bits & ~sign) > infinity; }

  // Bits of positive numbers have the sign bit set in the key; others are inverted.
  [[nodiscard]] Key bits_of(Key key) const {
    const Key ascending = key ^ flip_;
    const auto positive = static_cast<Key>(Key{0} - (ascending >> (width - 1)));
    return ascending ^ (sign | static_cast<Key>(~positive));
  }

  [[nodiscard]] bool is_key(Key key, Key bits) const {
    if (is_nan(bits)) return key == of_nan;
    return bits_of(key) == (bits == sign ? 0 : bits);
  }

  // Whether any float differs from the one of its key.
  [[nodiscard]] bool differ(const Key* keys, const Key* bits, std::int64_t n) const {
    Key any = 0;
    in_blocks(n, [&](std::int64_t begin, auto size) {
      for (std::int64_t i = 0; i < size; ++i) any |= bits_of(keys[begin + i]) ^ bits[begin + i];
    });
    return any != 0;
  }

  Key flip_ = 0;  // all bits: descending
  bool has_special_ = false;
};

}  // namespace hasten::backends::cpu
