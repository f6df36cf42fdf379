// erf, erfc: near 0 a polynomial; elsewhere erfc by e^(-x^2) and a polynomial that holds up to
// where erfc is 0 (M. M. Shepherd and J. G. Laframboise, "Chebyshev approximation of
// (1 + 2x) exp(x^2) erfc x in 0 <= x < infinity", Mathematics of Computation 36 (1981)).
#include "passes/own_math/coefficients.hpp"
#include "passes/own_math/exponential.hpp"
#include "passes/own_math/functions.hpp"

namespace hasten::passes::math {

using namespace coefficients;

namespace {

constexpr double erf_below = 0.8, complement_below = 0.75;  // for erf, and for 1 - erf
constexpr double center = 4;

// erfc(x) = mantissa * 2^exponent, for x above 0.7.
Exponential complement(Real x) {
  constexpr double least = 0.7, most = 28;
  const Real size = clamped(x, least, most);
  const Pair square = two_product(size, size);
  const Exponential e = exponential(-square);
  const Pair t =
      quotient(two_sum(size, real_like(x, -center)), two_sum(size, real_like(x, center)));
  const std::span<const double> all = erfc_full;
  // The two terms of lowest order are computed as pairs.
  const Real inner = polynomial(t.hi, all.subspan(2));
  const Pair second = sum(all[1], times(t, inner));
  const Pair series = sum(all[0], times(t, second));
  const Pair below = two_sum(real_like(x, 1), size + size);
  const Pair power = ordered_sum(e.mantissa.hi, e.mantissa.lo);
  return {times(power, quotient(series, below)), e.exponent};
}

// erf(x) = x + x P(x^2)
Pair erf_near_zero(Real x) {
  const Real z = x * x;
  return {x, x * polynomial(z, erf_full)};
}

Real short_complement(Real x) {
  const Real size = clamped(x, 0.7, 10.5), t = (size - center) / (size + center);
  const ShortExponential e = short_exponential(-(size * size));
  return joined(e) * polynomial(t, erfc_short) / (size + size + 1);
}

}  // namespace

namespace of_double {

Real erf(Real x) {
  const Real size = magnitude(x);
  const Exponential c = complement(size);
  // Beyond 6 it is 1, and the power is of no use.
  const Real power = chosen(size > 6.0, 0.0, power_of_two(c.exponent));
  const Real far = rounded(sum(1.0, {-c.mantissa.hi * power, -c.mantissa.lo * power}));
  const Real y = chosen(size < erf_below, rounded(erf_near_zero(size)), far);
  return chosen(is_nan(x), x, with_sign(y, x));
}

Real erfc(Real x) {
  const Real size = magnitude(x);
  const Exponential c = complement(size);
  const Real power = chosen(size > 6.0, 0.0, power_of_two(c.exponent));
  const Real negative = rounded(sum(2.0, {-c.mantissa.hi * power, -c.mantissa.lo * power}));
  const Real far = chosen(x < 0.0, negative, joined(c));
  const Real near = rounded(sum(1.0, -erf_near_zero(x)));
  return chosen(is_nan(x), x, chosen(size < complement_below, near, far));
}

}  // namespace of_double

namespace of_float {

Real erf(Real x) {
  const Real size = magnitude(x), z = x * x;
  const Real near = fused(size, polynomial(z, erf_short), size);
  const Real y = chosen(size < erf_below, near, 1 - short_complement(size));
  return chosen(is_nan(x), x, with_sign(y, x));
}

Real erfc(Real x) {
  const Real size = magnitude(x), c = short_complement(size);
  const Real near = 1 - fused(x, polynomial(x * x, erf_short), x);
  const Real far = chosen(x < 0.0, 2 - c, c);
  return chosen(is_nan(x), x, chosen(size < complement_below, near, far));
}

}  // namespace of_float

}  // namespace hasten::passes::math
