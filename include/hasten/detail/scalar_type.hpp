// The primitive element types, as run-time values: the leaves of every element type.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hasten::detail {

enum class ScalarType : std::uint8_t {
  boolean,  // one byte, 0 or 1
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f16,
  bf16,
  f32,
  f64,
  c64,   // std::complex<float>, one interleaved component
  c128,  // std::complex<double>
};

inline constexpr std::size_t scalar_type_count = 15;

constexpr bool is_bool(ScalarType t) { return t == ScalarType::boolean; }
constexpr bool is_signed_int(ScalarType t) { return t >= ScalarType::i8 && t <= ScalarType::i64; }
constexpr bool is_unsigned_int(ScalarType t) { return t >= ScalarType::u8 && t <= ScalarType::u64; }
constexpr bool is_integral(ScalarType t) { return is_signed_int(t) || is_unsigned_int(t); }
constexpr bool is_floating(ScalarType t) { return t >= ScalarType::f16 && t <= ScalarType::f64; }
constexpr bool is_complex(ScalarType t) { return t >= ScalarType::c64; }

/// The type of a complex number's parts; a real type is returned unchanged.
constexpr ScalarType part_of(ScalarType t) {
  return t == ScalarType::c64 ? ScalarType::f32 : t == ScalarType::c128 ? ScalarType::f64 : t;
}

/// Bytes of one element in memory.
constexpr std::size_t size_in_bytes(ScalarType t) {
  constexpr std::uint8_t sizes[scalar_type_count] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  return sizes[static_cast<std::size_t>(t)];
}

/// The name used in messages, dumps and the text form: "f32".
constexpr const char* name_of(ScalarType t) {
  constexpr const char* names[scalar_type_count] = {"bool", "i8",  "i16", "i32", "i64",
                                                    "u8",   "u16", "u32", "u64", "f16",
                                                    "bf16", "f32", "f64", "c64", "c128"};
  return names[static_cast<std::size_t>(t)];
}

}  // namespace hasten::detail
