// The different ones among many keys, as long as they are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hasten::backends::cpu {

/// Numbers keys in the order in which they are first seen: open addressing, in a table of numbers
/// that stays in a second cache, as the keys do.
template <class Key>
class DistinctKeys {
 public:
  static constexpr std::uint32_t most = 1 << 14;

  DistinctKeys() : ends_(slot_count), keys_(most + 1) {}

  /// The key's number; `most` if it is a new one and there are as many already. O(1).
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
  static constexpr unsigned slot_bits = 16;  // one in four is used at most
  static constexpr std::size_t slot_count = std::size_t{1} << slot_bits;

  std::vector<std::uint16_t> ends_;  // a slot's number, and one; 0: there is no key
  std::vector<Key> keys_;  // by number and one: of a size that is known, which saves looking
  std::uint32_t count_ = 0;
};

}  // namespace hasten::backends::cpu
