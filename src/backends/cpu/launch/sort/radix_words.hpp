// The words that a radix sort moves: a key, alone or with a position or a word of its element.
#pragma once

#include <cstdint>

namespace hasten::backends::cpu {

// `bits`, if it is the only member, has the words' order: equal words are then identical.

/// A key of up to 32 bits.
struct KeyWord {
  std::uint32_t bits;
  static KeyWord of(std::uint64_t key, std::uint64_t /*beside*/) {
    return {static_cast<std::uint32_t>(key)};
  }
  [[nodiscard]] std::uint64_t key() const { return bits; }
  [[nodiscard]] static std::uint64_t beside() { return 0; }
};

/// A key of any size.
struct LongKeyWord {
  std::uint64_t bits;
  static LongKeyWord of(std::uint64_t key, std::uint64_t /*beside*/) { return {key}; }
  [[nodiscard]] std::uint64_t key() const { return bits; }
  [[nodiscard]] static std::uint64_t beside() { return 0; }
};

/// A key of up to 32 bits above 32 others.
struct PackedWord {
  std::uint64_t bits;
  static PackedWord of(std::uint64_t key, std::uint64_t beside) { return {key << 32 | beside}; }
  [[nodiscard]] std::uint64_t key() const { return bits >> 32; }
  [[nodiscard]] std::uint64_t beside() const { return bits & 0xFFFFFFFFU; }
};

/// A key of any size with as many other bits.
struct WideWord {
  std::uint64_t bits, at;
  static WideWord of(std::uint64_t key, std::uint64_t beside) { return {key, beside}; }
  [[nodiscard]] std::uint64_t key() const { return bits; }
  [[nodiscard]] std::uint64_t beside() const { return at; }
};

}  // namespace hasten::backends::cpu
