// The range of the keys of a row.
#pragma once

#include "backends/cpu/launch/sort/chunks.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace hasten::backends::cpu {

/// The varying part of keys: (key - least) >> shift is a number, and numbers have the keys' order.
template <class Key>
struct KeyRange {
  Key least = std::numeric_limits<Key>::max(), most = 0;
  Key varying = 0;  // bits in which some key differs from the first

  void add(const KeyRange& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    varying = static_cast<Key>(varying | other.varying);
  }
  void add(Key key, Key one) { add({key, key, static_cast<Key>(key ^ one)}); }

  /// The bits below are the same in all keys.
  [[nodiscard]] unsigned shift() const {
    return varying == 0 ? 0U : static_cast<unsigned>(std::countr_zero(varying));
  }
  /// The greatest number.
  [[nodiscard]] std::uint64_t last() const {
    return static_cast<std::uint64_t>(static_cast<Key>(most - least)) >> shift();
  }
};

namespace key_ranges {

constexpr std::int64_t block = 4096;  // a constant, so that the compiler vectorises

template <class Key>
[[gnu::always_inline]] inline KeyRange<Key> of_block(const Key* keys, Key one) {
  Key least = one, most = one, varying = 0;
  for (std::int64_t i = 0; i < block; ++i) {
    least = keys[i] < least ? keys[i] : least;
    most = keys[i] > most ? keys[i] : most;
    varying = static_cast<Key>(varying | (keys[i] ^ one));
  }
  return {least, most, varying};
}
template <class Key>
KeyRange<Key> of_block_plainly(const Key* keys, Key one) {
  return of_block(keys, one);
}

// The baseline of x86-64 has no minimum for most types.
#if defined(__x86_64__)
template <class Key>
[[gnu::target("avx2")]] KeyRange<Key> of_block_by_vectors(const Key* keys, Key one) {
  return of_block(keys, one);
}
template <class Key>
auto block_function() {
  return __builtin_cpu_supports("avx2") ? of_block_by_vectors<Key> : of_block_plainly<Key>;
}
#else
template <class Key>
auto block_function() {
  return of_block_plainly<Key>;
}
#endif

}  // namespace key_ranges

/// One pass over the keys of a row.
template <class Key>
KeyRange<Key> range_of_keys(const Key* keys, const Chunks& chunks) {
  std::vector<KeyRange<Key>> found(static_cast<std::size_t>(chunks.count));
  chunks.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
    const auto of_block = key_ranges::block_function<Key>();
    KeyRange<Key> range;
    std::int64_t i = begin;
    for (; i + key_ranges::block <= end; i += key_ranges::block)
      range.add(of_block(keys + i, keys[0]));
    for (; i < end; ++i) range.add(keys[i], keys[0]);
    found[static_cast<std::size_t>(c)] = range;
  });
  KeyRange<Key> all;
  for (const KeyRange<Key>& each : found) all.add(each);
  return all;
}

}  // namespace hasten::backends::cpu
