// A 128-bit hash, computed by hash.hpp.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

namespace hasten::support {

struct Digest {
  std::uint64_t lo = 0, hi = 0;
  friend bool operator==(const Digest&, const Digest&) = default;
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// 32 lower-case hexadecimal digits.
inline std::string to_hex(const Digest& digest) {
  std::string text;
  for (const std::uint64_t word : {digest.hi, digest.lo})
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(word >> shift) & 15];
  return text;
}

/// For unordered containers: the digest itself is as random as any hash of it.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const noexcept { return digest.lo; }
};

}  // namespace hasten::support
