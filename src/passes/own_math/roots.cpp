// rsqrt, cbrt, hypot: Newton's steps, whose residual is computed without error.
#include "passes/own_math/coefficients.hpp"
#include "passes/own_math/functions.hpp"
#include "passes/own_math/numbers.hpp"

namespace hasten::passes::math {

using namespace coefficients;

namespace {

// |x| = cube * 2^(3 third), the cube between 1 and 8.
struct Cube {
  Real cube;
  Whole third;
};
Cube split_in_thirds(Real size) {
  constexpr std::uint64_t exponent_bias = 1023;
  const Truth subnormal = size < 0x1p-1022;
  const Whole word = bits(chosen(subnormal, size * 0x1p54, size));
  const Whole exponent = word >> 52;
  const Whole third = (exponent * 43691) >> 17;  // exponent / 3
  const Whole rest = exponent - third * 3;
  const Whole fraction = word & ((std::uint64_t{1} << 52) - 1);
  const Real cube = real(fraction | ((rest + exponent_bias) << 52));
  const Whole lift = chosen(subnormal, whole_like(word, 18), whole_like(word, 0));
  return {cube, third - exponent_bias / 3 - lift};
}

// 1 / cbrt(x) for x between 1 and 8, accurate to about 2^-50: each step triples the bits, by a
// series of y (1 - h)^(-1/3) with h = 1 - x y^3.
Real reciprocal_cube_root(Real x) {
  Real y = polynomial(x, cbrt_start);
  for (int step = 0; step < 2; ++step) {
    const Real h = fused(-x * y, y * y, 1);
    y = fused(y * h, fused(h, real_like(h, 2.0 / 9), 1.0 / 3), y);
  }
  return y;
}

Real unless_zero_or_limit(Real x, Real y) { return unless_limit(x, chosen(x == 0.0, x, y)); }

// A power of two by whose square x is scaled: x * scale^2 is neither huge nor tiny.
Real scale_of(Real x) {
  return chosen(x < 0x1p-900, 0x1p300, chosen(x > 0x1p900, 0x1p-300, real_like(x, 1)));
}

}  // namespace

namespace of_double {

Real rsqrt(Real x) {
  const Real scale = scale_of(x), moved = x * scale * scale, y = 1 / root(moved);
  const Pair square = two_product(y, y);
  const Real rest = fused(-moved, square.lo, fused(-moved, square.hi, 1));
  const Real better = fused(y * 0.5, rest, y) * scale;
  return chosen((x > 0.0) & (x < infinity), better, 1 / root(x));
}

Real cbrt(Real x) {
  const Cube part = split_in_thirds(magnitude(x));
  const Real reciprocal = reciprocal_cube_root(part.cube), square = reciprocal * reciprocal;
  const Real y = part.cube * square;
  const Pair squared = two_product(y, y);
  const Real rest = fused(squared.lo, y, fused(squared.hi, y, -part.cube));
  const Real better = fused(rest * square, -1.0 / 3, y);
  return unless_zero_or_limit(x, with_sign(better * power_of_two(part.third), x));
}

Real hypot(Real x, Real y) {
  const Real a = magnitude(x), b = magnitude(y);
  const Truth larger = a > b;
  const Real large = chosen(larger, a, b), small = chosen(larger, b, a);
  const Truth huge = large > 0x1p500, tiny = large < 0x1p-400;
  const Real scale = chosen(huge, 0x1p-600, chosen(tiny, 0x1p600, real_like(x, 1)));
  const Real back = chosen(huge, 0x1p600, chosen(tiny, 0x1p-600, real_like(x, 1)));
  const Real p = large * scale, q = small * scale;
  const Real size = rounded(root(sum(two_product(p, p), two_product(q, q)))) * back;
  const Truth infinite = (a == infinity) | (b == infinity);
  return chosen(infinite, infinity, chosen(is_nan(x) | is_nan(y), x + y, size));
}

}  // namespace of_double

namespace of_float {

Real rsqrt(Real x) { return 1 / root(x); }

Real cbrt(Real x) {
  const Cube part = split_in_thirds(magnitude(x));
  const Real reciprocal = reciprocal_cube_root(part.cube);
  const Real y = part.cube * reciprocal * reciprocal;
  return unless_zero_or_limit(x, with_sign(y * power_of_two(part.third), x));
}

Real hypot(Real x, Real y) {
  const Truth infinite = (magnitude(x) == infinity) | (magnitude(y) == infinity);
  return chosen(infinite, infinity, root(fused(x, x, y * y)));
}

}  // namespace of_float

}  // namespace hasten::passes::math
