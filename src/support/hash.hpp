// A 128-bit hash of a stream of words, bytes and texts. Not cryptographic, but wide enough for
// equal hashes to be taken as equal contents. Stable between processes and machines of one byte
// order, so it may name files.
#pragma once

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace hasten::support {

struct Digest {
  std::uint64_t lo = 0, hi = 0;
  friend bool operator==(const Digest&, const Digest&) = default;
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

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

/// 32 lower-case hexadecimal digits.
inline std::string to_hex(const Digest& digest) {
  std::string text;
  for (const std::uint64_t word : {digest.hi, digest.lo})
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(word >> shift) & 15];
  return text;
}

/// For unordered containers: the digest is as random as any hash of it.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const noexcept { return digest.lo; }
};

}  // namespace hasten::support
