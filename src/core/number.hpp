// Scalar types as C++ types: how their bits are loaded, computed with and stored. Used only by the
// evaluators; all other code treats types as run-time values.
#pragma once

#include "core/program.hpp"

#include <hasten/scalar/half.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace hasten::core {

/// Number<T>: Compute is the type of the arithmetic, get and put convert from and to Bits.
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

/// half and bfloat16: the arithmetic is in float, and every operation rounds.
template <class Small>
  requires(std::is_same_v<Small, half> || std::is_same_v<Small, bfloat16>)
struct Number<Small> {
  using Compute = float;
  static float get(const Bits& b) { return Small::from_bits(static_cast<std::uint16_t>(b.lo)); }
  static Bits put(double x) { return {Small(x).bits(), 0}; }
};

/// Calls f(std::type_identity<T>{}) for the C++ type of a scalar type. The last case also takes all
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
    case ScalarType::f16: return f(std::type_identity<half>{});
    case ScalarType::bf16: return f(std::type_identity<bfloat16>{});
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
