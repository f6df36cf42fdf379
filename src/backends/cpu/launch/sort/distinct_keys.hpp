// Collects the distinct keys among many, as long as they are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hasten::backends::cpu {

/// Numbers keys in the order in which they are first seen: open addressing, in a table of numbers
/// that stays in a second cache, as do the keys.
template <class Key>
class DistinctKeys {
 public:
  static constexpr std::uint32_t most = 1 << 14;

  DistinctKeys() : ends_(slot_count), keys_(most + 1) {}

  /// The key's number; `most` if it is new and there are as many already. O(1).
  std::uint32_t number_of(Key key) {
    std::size_t at = (std::uint64_t{key} * 0x9E3779B97F4A7C15U) >> (64 - slot_bits);
    for (; ends_[at] != 0; at = (at + 1) % slot_count)
      if (keys_[ends_[at]] == key) return ends_[at] - 1U;
    if (count_ == most) return most;
    keys_[++count_] = key;
    ends_[at] = static_cast<std::uint16_t>(count_);
    return count_ - 1U;
  }

  /// By number.
  [[nodiscard]] std::span<const Key> keys() const { return std::span(keys_).subspan(1, count_); }

 private:
  static constexpr unsigned slot_bits = 16;  // at most one in four is used
  static constexpr std::size_t slot_count = std::size_t{1} << slot_bits;

  std::vector<std::uint16_t> ends_;  // a slot's number plus one; 0: empty
  std::vector<Key> keys_;            // by number plus one: of constant size, which saves a test
  std::uint32_t count_ = 0;
};

}  // namespace hasten::backends::cpu
