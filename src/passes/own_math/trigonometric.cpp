// sin, cos, tan: polynomials of the reduced angle, chosen and signed by its quadrant.
#include "passes/own_math/coefficients.hpp"
#include "passes/own_math/functions.hpp"
#include "passes/own_math/reduction.hpp"

#include <limits>
#include <utility>

namespace hasten::passes::math {

using namespace coefficients;

namespace {

struct Circle {
  Pair sine, cosine;
};

// Each accurate to about 2^-57, for |r| < 0.79.
Circle circle_at(Pair r) {
  const Pair square = two_product(r.hi, r.hi);
  const Real z = square.hi;
  const Real sine_rest = fused(r.hi * z, polynomial(z, sin_full), fused(z * -0.5, r.lo, r.lo));
  const Pair most = ordered_sum(1.0, z * -0.5);
  const Real cosine_rest =
      fused(z * z, polynomial(z, cos_full), most.lo - fused(r.hi, r.lo, square.lo * 0.5));
  return {{r.hi, sine_rest}, {most.hi, cosine_rest}};
}

struct ShortCircle {
  Real sine, cosine;
};
ShortCircle short_circle_at(Real r) {
  const Real z = r * r;
  return {fused(r * z, polynomial(z, sin_short), r),
          fused(z * z, polynomial(z, cos_short), fused(z, -0.5, real_like(z, 1)))};
}

// Bit 1 of the quadrant is the sign.
Real with_sign_of(Whole quadrant, Real x) { return chosen((quadrant & 2) == 0, x, -x); }

Truth is_even(Whole quadrant) { return (quadrant & 1) == 0; }

// Infinity and NaN have no angle; 0 stays 0.
Real with_limits(Real x, Real usual) {
  const Real finite = chosen(x == 0.0, x, usual);
  return chosen(magnitude(x) < infinity, finite, std::numeric_limits<double>::quiet_NaN());
}
Real with_limits_of_cosine(Real x, Real usual) {
  return chosen(magnitude(x) < infinity, usual, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

namespace of_double {

Real sin(Real x) {
  const Angle angle = reduced(x);
  const Circle at = circle_at(angle.rest);
  const Real y = rounded(chosen(is_even(angle.quadrant), at.sine, at.cosine));
  return with_limits(x, with_sign_of(angle.quadrant, y));
}

Real cos(Real x) {
  const Angle angle = reduced(x);
  const Circle at = circle_at(angle.rest);
  const Real y = rounded(chosen(is_even(angle.quadrant), at.cosine, at.sine));
  return with_limits_of_cosine(x, with_sign_of(angle.quadrant + 1, y));
}

Real tan(Real x) {
  const Angle angle = reduced(x);
  const Circle at = circle_at(angle.rest);
  const Truth even = is_even(angle.quadrant);
  const Pair above = ordered_sum(at.sine.hi, at.sine.lo);
  const Pair below = ordered_sum(at.cosine.hi, at.cosine.lo);
  const Pair y = quotient(chosen(even, above, -below), chosen(even, below, above));
  return with_limits(x, rounded(y));
}

}  // namespace of_double

namespace of_float {

Real sin(Real x) {
  const ShortAngle angle = short_reduced(x);
  const ShortCircle at = short_circle_at(angle.rest);
  const Real y = chosen(is_even(angle.quadrant), at.sine, at.cosine);
  return with_limits(x, with_sign_of(angle.quadrant, y));
}

Real cos(Real x) {
  const ShortAngle angle = short_reduced(x);
  const ShortCircle at = short_circle_at(angle.rest);
  const Real y = chosen(is_even(angle.quadrant), at.cosine, at.sine);
  return with_limits_of_cosine(x, with_sign_of(angle.quadrant + 1, y));
}

Real tan(Real x) {
  const ShortAngle angle = short_reduced(x);
  const ShortCircle at = short_circle_at(angle.rest);
  const Truth even = is_even(angle.quadrant);
  const Real y = chosen(even, at.sine, -at.cosine) / chosen(even, at.cosine, at.sine);
  return with_limits(x, y);
}

}  // namespace of_float

}  // namespace hasten::passes::math
