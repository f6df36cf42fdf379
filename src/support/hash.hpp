// A 128-bit hash of a stream of words, bytes and texts. Not cryptographic, but wide enough for
// equal hashes to be taken as equal contents. Stable between processes and machines of one byte
// order, so it may name files.
#pragma once

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include "support/digest.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace hasten::support {

inline Digest hash_bytes(const void* data, std::size_t size) {
  const XXH128_hash_t hash = XXH3_128bits(data, size);
  return {hash.low64, hash.high64};
}

/// Collects words and hashes them block by block, each block beginning with the hash of those
/// before it. (The streaming form of XXH3 is several times slower on few words.)
class Hasher {
 public:
  template <class T>
    requires(std::integral<T> || std::is_enum_v<T>)
  Hasher& add(T value) {
    if (count_ == words_.size()) close_block();
    words_[count_++] = static_cast<std::uint64_t>(value);
    return *this;
  }
  Hasher& add(const Digest& digest) { return add(digest.lo).add(digest.hi); }
  Hasher& add(std::string_view text) { return add(text.data(), text.size()); }
  Hasher& add(const char* text) { return add(std::string_view(text)); }
  Hasher& add(const void* data, std::size_t size) { return add(size).add(hash_bytes(data, size)); }

  [[nodiscard]] Digest finish() const {
    return hash_bytes(words_.data(), count_ * sizeof words_[0]);
  }

 private:
  void close_block() {
    const Digest before = finish();
    count_ = 0;
    add(before);
  }
  std::array<std::uint64_t, 64> words_;  // the first count_ are set
  std::size_t count_ = 0;
};

}  // namespace hasten::support
