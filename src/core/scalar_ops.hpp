// THE table of scalar operations: one row each, in enum order. The verifier, the printer, constant
// folding, the interpreter and the backends read the properties of an operation from its row.
#pragma once

#include "core/program.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hasten::core {

/// Sets of scalar types an operation takes.
enum class Domain : std::uint8_t {
  boolean = 1,
  integral = 2,
  floating = 4,
  complex = 8,
  numbers = integral | floating,
  bits = boolean | integral,
  real = boolean | integral | floating,
  any = boolean | integral | floating | complex,
};
[[nodiscard]] bool contains(Domain domain, ScalarType type);

/// The types of arguments and result; T is any type of the domain.
enum class Signature : std::uint8_t {
  same,       // (T...) -> T
  predicate,  // (T...) -> bool
  shift,      // (T, any integral) -> T
  count,      // (T) -> i32
  choice,     // (bool, T, T) -> T
  convert,    // (T) -> the statement's type
  pair,       // (f32, f32) -> c64, (f64, f64) -> c128
  part,       // (c64) -> f32, (c128) -> f64
};

enum class Property : std::uint8_t {
  plain = 0,
  commutative = 1,
  associative = 2,  // mathematically: floats round
  combining = commutative | associative,
  partial = 4,    // Checks::arithmetic: the second argument must not be 0
  expensive = 8,  // worth storing rather than recomputing
};

struct ScalarOpRow {
  ScalarOp op;
  const char* name;  // in the text form
  std::uint8_t arity;
  Domain domain;
  Signature signature;
  bool commutative, associative, partial, expensive;
  const char* c_name;  // in C's math library, for double ("exp"; float has "expf"), or ""
  const char* meaning;

  constexpr ScalarOpRow(ScalarOp o, const char* n, std::uint8_t a, Domain d, Signature s,
                        Property p, const char* c, const char* m)
      : op(o),
        name(n),
        arity(a),
        domain(d),
        signature(s),
        commutative(is(p, 1)),
        associative(is(p, 2)),
        partial(is(p, 4)),
        expensive(is(p, 8)),
        c_name(c),
        meaning(m) {}

 private:
  static constexpr bool is(Property p, unsigned bit) {
    return (static_cast<unsigned>(p) & bit) != 0;
  }
};

namespace detail_table {
using enum ScalarOp;
using enum Domain;
using enum Signature;
using enum Property;

inline constexpr ScalarOpRow rows[] = {
    {add, "add", 2, numbers, same, combining, "", "a + b; integers wrap"},
    {sub, "sub", 2, numbers, same, plain, "", "a - b; integers wrap"},
    {mul, "mul", 2, numbers, same, combining, "", "a * b; integers wrap"},
    {neg, "neg", 1, numbers, same, plain, "", "-a; integers wrap"},
    {abs, "abs", 1, numbers, same, plain, "fabs", "|a|; the least integer stays itself"},
    {signum, "signum", 1, numbers, same, plain, "", "-1, 0 or 1; NaN and -0 stay"},
    {min, "min", 2, real, same, combining, "", "the smaller; NaN wins, -0 < +0"},
    {max, "max", 2, real, same, combining, "", "the larger; NaN wins, -0 < +0"},
    {quot, "quot", 2, integral, same, partial, "", "a / b towards zero; 0 if b = 0"},
    {rem, "rem", 2, integral, same, partial, "", "a - b * quot(a, b), sign of a; 0 if b = 0"},
    {idiv, "idiv", 2, integral, same, partial, "", "a / b towards minus infinity; 0 if b = 0"},
    {mod, "mod", 2, integral, same, partial, "", "a - b * idiv(a, b), sign of b; 0 if b = 0"},
    {div, "div", 2, floating, same, plain, "", "a / b"},
    {eq, "eq", 2, real, predicate, commutative, "", "a == b; NaN equals nothing"},
    {ne, "ne", 2, real, predicate, commutative, "", "not (a == b)"},
    {lt, "lt", 2, real, predicate, plain, "", "a < b; false < true; false for NaN"},
    {le, "le", 2, real, predicate, plain, "", "a <= b; false for NaN"},
    {gt, "gt", 2, real, predicate, plain, "", "a > b; false for NaN"},
    {ge, "ge", 2, real, predicate, plain, "", "a >= b; false for NaN"},
    {and_, "and", 2, bits, same, combining, "", "a & b"},
    {or_, "or", 2, bits, same, combining, "", "a | b"},
    {xor_, "xor", 2, bits, same, combining, "", "a ^ b"},
    {not_, "not", 1, bits, same, plain, "", "all bits the other way"},
    {shl, "shl", 2, integral, shift, plain, "", "a << b; 0 if b is not in 0..width-1"},
    {shr, "shr", 2, integral, shift, plain, "",
     "a >> b, keeping the sign; 0 or the sign if b is not in 0..width-1"},
    {rotl, "rotl", 2, integral, shift, plain, "", "rotate left by b modulo the width"},
    {rotr, "rotr", 2, integral, shift, plain, "", "rotate right by b modulo the width"},
    {popcount, "popcount", 1, integral, count, plain, "", "number of bits set"},
    {clz, "clz", 1, integral, count, plain, "", "zeros above the highest bit set; the width for 0"},
    {ctz, "ctz", 1, integral, count, plain, "", "zeros below the lowest bit set; the width for 0"},
    {select, "select", 3, any, choice, plain, "", "a ? b : c, both evaluated"},
    {sqrt, "sqrt", 1, floating, same, plain, "sqrt", "square root, correctly rounded"},
    {rsqrt, "rsqrt", 1, floating, same, plain, "", "1 / sqrt(a)"},
    {cbrt, "cbrt", 1, floating, same, expensive, "cbrt", "cube root"},
    {exp, "exp", 1, floating, same, expensive, "exp", "e to the a"},
    {exp2, "exp2", 1, floating, same, expensive, "exp2", "2 to the a"},
    {expm1, "expm1", 1, floating, same, expensive, "expm1", "exp(a) - 1, exact near 0"},
    {log, "log", 1, floating, same, expensive, "log", "natural logarithm"},
    {log2, "log2", 1, floating, same, expensive, "log2", "logarithm to base 2"},
    {log10, "log10", 1, floating, same, expensive, "log10", "logarithm to base 10"},
    {log1p, "log1p", 1, floating, same, expensive, "log1p", "log(1 + a), exact near 0"},
    {sin, "sin", 1, floating, same, expensive, "sin", "sine"},
    {cos, "cos", 1, floating, same, expensive, "cos", "cosine"},
    {tan, "tan", 1, floating, same, expensive, "tan", "tangent"},
    {asin, "asin", 1, floating, same, expensive, "asin", "arc sine"},
    {acos, "acos", 1, floating, same, expensive, "acos", "arc cosine"},
    {atan, "atan", 1, floating, same, expensive, "atan", "arc tangent"},
    {sinh, "sinh", 1, floating, same, expensive, "sinh", "hyperbolic sine"},
    {cosh, "cosh", 1, floating, same, expensive, "cosh", "hyperbolic cosine"},
    {tanh, "tanh", 1, floating, same, expensive, "tanh", "hyperbolic tangent"},
    {asinh, "asinh", 1, floating, same, expensive, "asinh", "inverse hyperbolic sine"},
    {acosh, "acosh", 1, floating, same, expensive, "acosh", "inverse hyperbolic cosine"},
    {atanh, "atanh", 1, floating, same, expensive, "atanh", "inverse hyperbolic tangent"},
    {erf, "erf", 1, floating, same, expensive, "erf", "error function"},
    {erfc, "erfc", 1, floating, same, expensive, "erfc", "1 - erf(a), exact for large a"},
    {floor, "floor", 1, floating, same, plain, "floor", "towards minus infinity"},
    {ceil, "ceil", 1, floating, same, plain, "ceil", "towards plus infinity"},
    {round, "round", 1, floating, same, plain, "round", "to the nearest, halves away from zero"},
    {trunc, "trunc", 1, floating, same, plain, "trunc", "towards zero"},
    {nearbyint, "nearbyint", 1, floating, same, plain, "nearbyint",
     "to the nearest, halves to even"},
    {pow, "pow", 2, floating, same, expensive, "pow", "a to the b"},
    {atan2, "atan2", 2, floating, same, expensive, "atan2", "angle of the point (b, a)"},
    {hypot, "hypot", 2, floating, same, expensive, "hypot", "sqrt(a*a + b*b) without overflow"},
    {fmod, "fmod", 2, floating, same, expensive, "fmod", "a - b * trunc(a / b), exact"},
    {copysign, "copysign", 2, floating, same, plain, "copysign", "|a| with the sign of b"},
    {fma, "fma", 3, floating, same, plain, "fma", "a * b + c, rounded once"},
    {is_nan, "is_nan", 1, floating, predicate, plain, "", "is not a number"},
    {is_infinite, "is_infinite", 1, floating, predicate, plain, "", "is plus or minus infinity"},
    {is_finite, "is_finite", 1, floating, predicate, plain, "", "is neither infinite nor NaN"},
    {cast, "cast", 1, real, convert, plain, "",
     "convert: integers wrap, floats saturate to integers, to bool is a != 0"},
    {bit_cast, "bit_cast", 1, real, convert, plain, "",
     "the same bits as another type of the same size"},
    {complex_make, "complex_make", 2, floating, pair, plain, "", "a + bi"},
    {complex_real, "complex_real", 1, complex, part, plain, "", "real part"},
    {complex_imag, "complex_imag", 1, complex, part, plain, "", "imaginary part"},
};

consteval bool rows_are_in_enum_order() {
  if (std::size(rows) != static_cast<std::size_t>(detail::scalar_op_count)) return false;
  for (std::size_t i = 0; i < std::size(rows); ++i)
    if (rows[i].op != static_cast<ScalarOp>(i)) return false;
  return true;
}
static_assert(rows_are_in_enum_order(), "a row of the table is missing or out of order");
}  // namespace detail_table

constexpr std::span<const ScalarOpRow> scalar_ops() { return detail_table::rows; }
constexpr const ScalarOpRow& row(ScalarOp op) {
  return detail_table::rows[static_cast<std::size_t>(op)];
}
[[nodiscard]] std::optional<ScalarOp> scalar_op_named(std::string_view name);

/// The type of the result where the arguments determine it (not for cast and bit_cast).
[[nodiscard]] ScalarType result_type(ScalarOp op, std::span<const ScalarType> args);

/// What is wrong with an operation on these types; empty if it is well typed.
[[nodiscard]] std::string type_error(ScalarOp op, ScalarType result,
                                     std::span<const ScalarType> args);

/// The value of a well-typed operation, exactly as the language defines it. Nothing traps.
[[nodiscard]] Bits evaluate(ScalarOp op, ScalarType result, std::span<const ScalarType> arg_types,
                            std::span<const Bits> args);

/// Bits of an i64, and back.
constexpr Bits bits_of(std::int64_t x) { return {static_cast<std::uint64_t>(x), 0}; }
constexpr std::int64_t as_i64(const Bits& b) { return static_cast<std::int64_t>(b.lo); }

/// The number that a real value represents: exact for floats, rounded for 64-bit integers.
[[nodiscard]] double to_double(ScalarType type, const Bits& bits);

/// The bits of one element in memory, and back (c128 fills both words).
[[nodiscard]] Bits load_bits(ScalarType type, const std::byte* from);
void store_bits(ScalarType type, const Bits& bits, std::byte* to);

}  // namespace hasten::core
