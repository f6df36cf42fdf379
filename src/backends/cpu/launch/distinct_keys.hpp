// The different ones among many keys, as long as they are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hasten::backends::cpu {

/// Numbers keys in the order in which they are first seen: open addressing, in a table that stays
/// in a second cache.
template <class Key>
class DistinctKeys {
 public:
  static constexpr std::uint32_t most = 1 << 14;

  DistinctKeys() : slots_(slot_count) {}

  /// The key's number; `most` if it is a new one and there are as many already. O(1).
  std::uint32_t number_of(Key key) {
    std::size_t at = (std::uint64_t{key} * 0x9E3779B97F4A7C15U) >> (64 - slot_bits);
    while (slots_[at].end != 0 && slots_[at].key != key) at = (at + 1) % slot_count;
    if (slots_[at].end == 0) {
      if (keys_.size() == most) return most;
      keys_.push_back(key);
      slots_[at] = {key, static_cast<std::uint32_t>(keys_.size())};
    }
    return slots_[at].end - 1;
  }

  /// By number.
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

 private:
  static constexpr unsigned slot_bits = 15;
  static constexpr std::size_t slot_count = std::size_t{1} << slot_bits;

  struct Slot {
    Key key = 0;
    std::uint32_t end = 0;  // the number, and one; 0: there is no key
  };
  std::vector<Slot> slots_;
  std::vector<Key> keys_;
};

}  // namespace hasten::backends::cpu
