// The scalar operations of the core language. Their properties are in src/core/scalar_ops.hpp, one
// table row each, in this order.
#pragma once

#include <cstdint>

namespace hasten::detail {

enum class ScalarOp : std::uint8_t {
  // Arithmetic: integers wrap, floats are IEEE.
  add,
  sub,
  mul,
  neg,
  abs,
  signum,
  min,
  max,
  // Integral division, truncating (quot, rem) and flooring (idiv, mod); division by zero returns 0.
  quot,
  rem,
  idiv,
  mod,
  // Floating division.
  div,
  // Comparison; IEEE on floats.
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  // Logic on bool, bitwise on integers (and_, or_, xor_ and not_ serve both).
  and_,
  or_,
  xor_,
  not_,
  shl,
  shr,
  rotl,
  rotr,
  popcount,
  clz,
  ctz,
  // select(c, a, b), both evaluated.
  select,
  // Floating functions, as <cmath>.
  sqrt,
  rsqrt,
  cbrt,
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  floor,
  ceil,
  round,
  trunc,
  nearbyint,
  pow,
  atan2,
  hypot,
  fmod,
  copysign,
  fma,
  is_nan,
  is_infinite,
  is_finite,
  // Conversions: the node holds the result type.
  cast,
  bit_cast,
  // Complex numbers: construction and parts; the surface expands their arithmetic.
  complex_make,
  complex_real,
  complex_imag,
};

inline constexpr int scalar_op_count = static_cast<int>(ScalarOp::complex_imag) + 1;

}  // namespace hasten::detail
