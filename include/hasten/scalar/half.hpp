// The small floating types on the host: half (IEEE binary16) and bfloat16.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace hasten::detail {

/// Converts an integer to a double that rounds to fewer bits as the integer itself would: the bits
/// that do not fit the double are recorded in its lowest bit (a sticky bit).
template <class I>
constexpr double sticky_double(I i) {
  if constexpr (sizeof(I) < 8) {
    return static_cast<double>(i);
  } else {
    const bool negative = i < I{};
    auto magnitude = static_cast<std::uint64_t>(i);
    if (negative) magnitude = 0 - magnitude;
    if (magnitude >> 53)
      magnitude = ((magnitude >> 11) | ((magnitude & 2047U) != 0 ? 1U : 0U)) << 11;
    const auto result = static_cast<double>(magnitude);
    return negative ? -result : result;
  }
}

/// A 16-bit binary floating format. It only stores a value: arithmetic on the host is done in
/// float, and storing the result rounds it.
template <int ExponentBits, int FractionBits>
class SmallFloat {
  static_assert(1 + ExponentBits + FractionBits == 16);
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr std::uint32_t infinity = ((1U << ExponentBits) - 1) << FractionBits;

 public:
  constexpr SmallFloat() = default;
  /// Rounds once, to nearest even; overflows to infinity.
  template <class N>
    requires std::is_arithmetic_v<N>
  constexpr explicit(false) SmallFloat(N number) : bits_(narrow(number)) {}
  template <int E, int F>
    requires(E != ExponentBits)
  constexpr explicit SmallFloat(SmallFloat<E, F> other) : bits_(narrow(float{other})) {}
  constexpr operator float() const { return widen(bits_); }  // NOLINT(google-explicit-constructor)

  static constexpr SmallFloat from_bits(std::uint16_t bits) {
    SmallFloat result;
    result.bits_ = bits;
    return result;
  }
  [[nodiscard]] constexpr std::uint16_t bits() const { return bits_; }

 private:
  template <class N>
  static constexpr std::uint16_t narrow(N number) {
    if constexpr (std::is_integral_v<N>) {
      return round(sticky_double(number));
    } else {
      return round(static_cast<double>(number));
    }
  }
  static constexpr std::uint16_t round(double x);
  static constexpr float widen(std::uint16_t bits);

  std::uint16_t bits_ = 0;
};

template <int ExponentBits, int FractionBits>
constexpr std::uint16_t SmallFloat<ExponentBits, FractionBits>::round(double x) {
  constexpr int digits = 52;  // fraction bits of a double
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto sign = static_cast<std::uint32_t>(bits >> 63 << 15);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  const auto exponent = static_cast<int>(magnitude >> digits) - 1023;
  if (magnitude > std::uint64_t{0x7ff} << digits)
    return static_cast<std::uint16_t>(sign | infinity | (1U << (FractionBits - 1)));
  if (exponent > bias) return static_cast<std::uint16_t>(sign | infinity);
  const int below = exponent < 1 - bias ? 1 - bias - exponent : 0;  // bits lost to denormals
  const int shift = digits - FractionBits + below;
  if (shift > digits + 1) return static_cast<std::uint16_t>(sign);
  const std::uint64_t unit = std::uint64_t{1} << digits;
  const std::uint64_t significand = (magnitude & (unit - 1)) | unit;
  std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand - (kept << shift), half = std::uint64_t{1} << (shift - 1);
  if (rest > half || (rest == half && (kept & 1U) != 0)) ++kept;
  const int biased = below == 0 ? exponent + bias - 1 : 0;  // kept has the leading 1
  return static_cast<std::uint16_t>(sign |
                                    ((static_cast<std::uint32_t>(biased) << FractionBits) + kept));
}

template <int ExponentBits, int FractionBits>
constexpr float SmallFloat<ExponentBits, FractionBits>::widen(std::uint16_t bits) {
  constexpr int shift = 23 - FractionBits;
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7fffU;
  if (magnitude >= infinity)
    return std::bit_cast<float>(sign | 0x7f800000U | (magnitude << shift & 0x7fffffU));
  if constexpr (ExponentBits == 8) {
    return std::bit_cast<float>(sign | magnitude << shift);
  } else {
    // Build the fraction as a float with the least exponent, then multiply by the missing scale.
    const float scale = std::bit_cast<float>(static_cast<std::uint32_t>(127 + 127 - bias) << 23);
    const float scaled = std::bit_cast<float>(magnitude << shift) * scale;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(scaled));
  }
}

}  // namespace hasten::detail

namespace hasten {

/// IEEE binary16: 11 bits of precision, up to 65504.
using half = detail::SmallFloat<5, 10>;
/// The upper half of a float: 8 bits of precision, the range of float.
using bfloat16 = detail::SmallFloat<8, 7>;

}  // namespace hasten
