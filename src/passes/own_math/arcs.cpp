// asin, acos, atan, atan2: short arcs by polynomials, the others from these by the formulas for
// differences and halves of angles (J.-M. Muller, "Elementary Functions", 3rd edition, chapter 9).
#include "passes/own_math/coefficients.hpp"
#include "passes/own_math/functions.hpp"
#include "passes/own_math/numbers.hpp"

namespace hasten::passes::math {

using namespace coefficients;

namespace {

constexpr double tangent_of_pi_8 = 0.41421356237309503;

Pair constant(Real like, const double* parts) {
  return {real_like(like, parts[0]), real_like(like, parts[1])};
}

// atan(y / x) of |y| and |x|, both between 0 and infinity; their signs decide the quadrant. The
// caller handles NaN.
struct Sides {
  Real small, large;
};

// Scaled so that sums do not overflow and few products are subnormal.
Sides sides_of(Real y, Real x) {
  const Real a = magnitude(y), b = magnitude(x);
  const Truth steep = a > b;
  const Real large = chosen(steep, a, b), small = chosen(steep, b, a);
  const Real scale =
      chosen(large > 0x1p900, 0x1p-100, chosen(large > 0x1p300, 1.0, real_like(x, 0x1p600)));
  const Real finite = chosen(large == infinity, 0x1p900, large * scale);
  const Truth both_infinite = small == infinity;
  const Real small_finite = chosen(large == infinity, 0.0, small * scale);
  // 0 / 0 is 0, as atan2 has it.
  return {chosen(both_infinite, 0x1p900, small_finite), chosen(large == 0.0, 1.0, finite)};
}

Pair arc_of(Sides sides) {
  const Truth reduces = sides.small > sides.large * tangent_of_pi_8;
  const Pair difference = two_sum(sides.small, -sides.large);
  const Pair total = two_sum(sides.small, sides.large);
  const Real zero = real_like(sides.small, 0);
  const Pair t = quotient(chosen(reduces, difference, Pair{sides.small, zero}),
                          chosen(reduces, total, Pair{sides.large, zero}));
  const Real z = t.hi * t.hi;
  const Pair arc =
      ordered_sum(t.hi, fused(t.hi * z, polynomial(z, atan_full), fused(-z, t.lo, t.lo)));
  return chosen(reduces, sum(constant(z, quarter_pi), arc), arc);
}

// pi / 2 minus the arc where |y| > |x|, then pi minus that where x is negative.
Pair arc_in_circle(Pair arc, Truth steep, Truth behind) {
  const Pair half = chosen(steep, sum(constant(arc.hi, half_pi), -arc), arc);
  return chosen(behind, sum(constant(arc.hi, pi), -half), half);
}

Truth is_negative(Real x) { return with_sign(real_like(x, 1), x) < 0.0; }

Pair asin_series(Pair x) {
  const Real z = x.hi * x.hi;
  // The derivative of the arc is 1 / sqrt(1 - z).
  const Real slope = fused(z, 0.5, real_like(z, 1)) + z * z * 0.375;
  return ordered_sum(x.hi, fused(x.hi * z, polynomial(z, asin_full), x.lo * slope));
}

// sqrt((1 - |x|) / 2): its arc is half of acos(|x|).
Pair half_chord(Real size) {
  const Real z = (1 - size) * 0.5, r = root(z);
  const Real rest = fused(-r, r, z) / chosen(r == 0.0, 1.0, r + r);
  return {r, rest};
}

// NaN outside -1 to 1.
Real within_one(Real size, Real y) {
  return chosen(size > 1.0, std::numeric_limits<double>::quiet_NaN(), y);
}

}  // namespace

namespace of_double {

Real atan2(Real y, Real x) {
  const Pair arc = arc_of(sides_of(y, x));
  const Truth steep = magnitude(y) > magnitude(x);
  const Real size = rounded(arc_in_circle(arc, steep, is_negative(x)));
  const Real result = with_sign(size, y);
  return chosen(is_nan(x) | is_nan(y), std::numeric_limits<double>::quiet_NaN(), result);
}

Real atan(Real x) {
  const Real size = magnitude(x), one = real_like(x, 1);
  const Truth steep = size > 1.0;
  const Real large = chosen(steep, size, one);
  const Real bounded = chosen(large > 0x1p900, 0x1p900, large);
  const Pair arc = arc_of({chosen(steep, one, size), bounded});
  return with_sign(rounded(chosen(steep, sum(constant(x, half_pi), -arc), arc)), x);
}

Real asin(Real x) {
  const Real size = magnitude(x);
  const Truth long_arc = size > 0.5;
  const Pair half = half_chord(size);
  const Pair series = asin_series(chosen(long_arc, half, Pair{size, real_like(x, 0)}));
  const Pair y = chosen(long_arc, sum(constant(x, half_pi), -scaled(series, 2)), series);
  return within_one(size, with_sign(rounded(y), x));
}

Real acos(Real x) {
  const Real size = magnitude(x);
  const Truth long_arc = size > 0.5;
  const Pair series = asin_series(chosen(long_arc, half_chord(size), Pair{x, real_like(x, 0)}));
  const Pair twice = scaled(series, 2);
  const Pair end = chosen(x < 0.0, sum(constant(x, pi), -twice), twice);
  const Pair y = chosen(long_arc, end, sum(constant(x, half_pi), -series));
  return within_one(size, rounded(y));
}

}  // namespace of_double

namespace of_float {

namespace {

Real short_arc_of(Sides sides) {
  const Truth reduces = sides.small > sides.large * tangent_of_pi_8;
  const Real t = chosen(reduces, sides.small - sides.large, sides.small) /
                 chosen(reduces, sides.small + sides.large, sides.large);
  const Real z = t * t, arc = fused(t * z, polynomial(z, atan_short), t);
  return arc + chosen(reduces, quarter_pi[0], 0.0);
}

Real short_series(Real x) {
  const Real z = x * x;
  return fused(x * z, polynomial(z, asin_short), x);
}

}  // namespace

Real atan2(Real y, Real x) {
  const Real arc = short_arc_of(sides_of(y, x));
  const Truth steep = magnitude(y) > magnitude(x);
  const Real half = chosen(steep, half_pi[0] - arc, arc);
  const Real result = with_sign(chosen(is_negative(x), pi[0] - half, half), y);
  return chosen(is_nan(x) | is_nan(y), std::numeric_limits<double>::quiet_NaN(), result);
}

Real atan(Real x) {
  const Real size = magnitude(x), one = real_like(x, 1);
  const Truth steep = size > 1.0;
  const Real large = chosen(steep, size, one);
  const Real arc =
      short_arc_of({chosen(steep, one, size), chosen(large > 0x1p900, 0x1p900, large)});
  return with_sign(chosen(steep, half_pi[0] - arc, arc), x);
}

Real asin(Real x) {
  const Real size = magnitude(x);
  const Truth long_arc = size > 0.5;
  const Real series = short_series(chosen(long_arc, root((1 - size) * 0.5), size));
  return with_sign(chosen(long_arc, fused(series, -2.0, real_like(x, half_pi[0])), series), x);
}

Real acos(Real x) {
  const Real size = magnitude(x);
  const Truth long_arc = size > 0.5;
  const Real series = short_series(chosen(long_arc, root((1 - size) * 0.5), x));
  const Real twice = series + series;
  const Real end = chosen(x < 0.0, pi[0] - twice, twice);
  return chosen(long_arc, end, half_pi[0] - series);
}

}  // namespace of_float

}  // namespace hasten::passes::math
