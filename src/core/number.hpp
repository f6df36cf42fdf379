// Scalar types as C++ types: how their bits are read, computed with and written. Used only by the
// evaluators; everything else treats types as run-time values.
#pragma once

#include "core/program.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace hasten::core {

/// IEEE binary16 and bfloat16: computed with as float, every operation rounds.
struct Half {
  static constexpr int exponent_bits = 5, fraction_bits = 10;
};
struct BFloat16 {
  static constexpr int exponent_bits = 8, fraction_bits = 7;
};

/// Rounds to nearest even, overflows to infinity.
template <class Small>
std::uint16_t narrow(double x) {
  constexpr int bias = (1 << (Small::exponent_bits - 1)) - 1;
  constexpr std::uint32_t infinity = ((1U << Small::exponent_bits) - 1) << Small::fraction_bits;
  const std::uint32_t sign = std::signbit(x) ? 0x8000U : 0U;
  if (std::isnan(x))
    return static_cast<std::uint16_t>(sign | infinity | (1U << (Small::fraction_bits - 1)));
  int exponent = 0;
  std::frexp(x, &exponent);  // |x| = [0.5, 1) * 2^exponent
  if (std::isinf(x) || exponent - 1 > bias) return static_cast<std::uint16_t>(sign | infinity);
  const int unit = x == 0 || exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
  const double fraction = std::nearbyint(std::ldexp(std::fabs(x), Small::fraction_bits - unit));
  const auto rounded = (static_cast<std::uint32_t>(unit + bias - 1) << Small::fraction_bits) +
                       static_cast<std::uint32_t>(fraction);
  return static_cast<std::uint16_t>(sign | (rounded < infinity ? rounded : infinity));
}

template <class Small>
float widen(std::uint16_t bits) {
  constexpr int bias = (1 << (Small::exponent_bits - 1)) - 1;
  constexpr int exponent_max = (1 << Small::exponent_bits) - 1;
  const int exponent = (bits >> Small::fraction_bits) & exponent_max;
  const int fraction = bits & ((1 << Small::fraction_bits) - 1);
  float magnitude = 0;
  if (exponent == exponent_max)
    magnitude = fraction ? std::bit_cast<float>(0x7fc00000U) : HUGE_VALF;
  else if (exponent == 0)
    magnitude = std::ldexp(static_cast<float>(fraction), 1 - bias - Small::fraction_bits);
  else
    magnitude = std::ldexp(static_cast<float>(fraction + (1 << Small::fraction_bits)),
                           exponent - bias - Small::fraction_bits);
  return (bits & 0x8000U) ? -magnitude : magnitude;
}

/// Number<T>: Compute is what is computed with, get and put go from and to Bits.
template <class T>
struct Number {
  using Compute = T;
  static constexpr int width = static_cast<int>(8 * sizeof(T));
  static T get(const Bits& b) {
    if constexpr (std::is_same_v<T, bool>)
      return b.lo != 0;
    else if constexpr (std::is_same_v<T, float>)
      return std::bit_cast<float>(static_cast<std::uint32_t>(b.lo));
    else if constexpr (std::is_same_v<T, double>)
      return std::bit_cast<double>(b.lo);
    else
      return static_cast<T>(b.lo);
  }
  static Bits put(T x) {
    if constexpr (std::is_same_v<T, float>)
      return {std::bit_cast<std::uint32_t>(x), 0};
    else if constexpr (std::is_same_v<T, double>)
      return {std::bit_cast<std::uint64_t>(x), 0};
    else if constexpr (std::is_signed_v<T>)
      return {static_cast<std::uint64_t>(static_cast<std::int64_t>(x)), 0};
    else
      return {static_cast<std::uint64_t>(x), 0};
  }
};

template <class Small>
  requires requires { Small::fraction_bits; }
struct Number<Small> {
  using Compute = float;
  static float get(const Bits& b) { return widen<Small>(static_cast<std::uint16_t>(b.lo)); }
  static Bits put(double x) { return {narrow<Small>(x), 0}; }
};

/// f(std::type_identity<T>{}) for the C++ type of a scalar type; the last case stands for all
/// types outside the set, which the caller has excluded.
template <class F>
auto with_integral(ScalarType type, F f) {
  switch (type) {
    case ScalarType::i8: return f(std::type_identity<std::int8_t>{});
    case ScalarType::i16: return f(std::type_identity<std::int16_t>{});
    case ScalarType::i32: return f(std::type_identity<std::int32_t>{});
    case ScalarType::u8: return f(std::type_identity<std::uint8_t>{});
    case ScalarType::u16: return f(std::type_identity<std::uint16_t>{});
    case ScalarType::u32: return f(std::type_identity<std::uint32_t>{});
    case ScalarType::u64: return f(std::type_identity<std::uint64_t>{});
    default: return f(std::type_identity<std::int64_t>{});
  }
}

template <class F>
auto with_floating(ScalarType type, F f) {
  switch (type) {
    case ScalarType::f16: return f(std::type_identity<Half>{});
    case ScalarType::bf16: return f(std::type_identity<BFloat16>{});
    case ScalarType::f32: return f(std::type_identity<float>{});
    default: return f(std::type_identity<double>{});
  }
}

template <class F>
auto with_real(ScalarType type, F f) {
  if (detail::is_bool(type)) return f(std::type_identity<bool>{});
  return detail::is_integral(type) ? with_integral(type, f) : with_floating(type, f);
}

}  // namespace hasten::core
