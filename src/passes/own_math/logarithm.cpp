// log, log2, log10, log1p: x = 2^k (1 + f), and log(1 + f) = 2 atanh(s) with s = f / (2 + f),
// written so that f and its square are exact (the series, but not the table, of P. T. P. Tang,
// "Table-driven implementation of the logarithm function", ACM TOMS 16 (1990); the form with f -
// f^2 / 2 is that of W. Kahan and K. C. Ng).
#include "passes/own_math/logarithm.hpp"

#include "passes/own_math/coefficients.hpp"
#include "passes/own_math/functions.hpp"

#include <limits>

namespace hasten::passes::math {

using namespace coefficients;

// log(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + R)), with 2 atanh(s) = 2 s + s R.
Pair logarithm(Pair f, Real exponent) {
  const Pair half_square = two_product(f.hi * 0.5, f.hi);
  const Real s = f.hi / (f.hi + 2), z = s * s;
  const Real rest = s * fused(z, polynomial(z, log_full), half_square.hi);
  const Pair whole = ordered_sum(exponent * ln2[0], f.hi);
  const Pair most = ordered_sum(whole.hi, -half_square.hi);
  const Real small = fused(exponent, ln2[1], rest - half_square.lo);
  const Real shift = f.lo - f.lo * f.hi / (f.hi + 1);
  return ordered_sum(most.hi, most.lo + whole.lo + (small + shift));
}

namespace {

// (1 + f) 2^exponent = x, for a normal number.
struct Parts {
  Pair f;
  Real exponent;
};
Parts parts_of(Pair x) {
  const Split split = split_normal(x.hi);
  // Where 2^-exponent is not representable, lo does not count.
  const Real power = power_of_two(whole_like(split.whole, 0) - split.whole);
  const Real shrunk = chosen(x.hi > 0x1p1000, 0.0, x.lo * power);
  return {{split.mantissa - 1, shrunk}, split.exponent};
}

}  // namespace

Pair logarithm(Pair x) {
  const Parts parts = parts_of(x);
  return logarithm(parts.f, parts.exponent);
}

// Near 1 the pair itself is f.
Pair logarithm_of_one_and(Pair a) {
  const Pair sum = two_sum(real_like(a.hi, 1), a.hi);
  const Pair x = ordered_sum(sum.hi, sum.lo + a.lo);
  const Parts parts = parts_of(x);
  const Truth near = parts.exponent == 0;
  return logarithm(chosen(near, a, parts.f), parts.exponent);
}

// The first two coefficients and all their factors are pairs.
Pair accurate_logarithm(const Split& x) {
  const Real f = x.mantissa - 1;
  const Pair d = ordered_sum(2.0, f);
  const Pair s = quotient({f, real_like(f, 0)}, d);
  const Pair z = times(s, s);
  const auto constant = [&](const double(&parts)[2]) {
    return Pair{real_like(f, parts[0]), real_like(f, parts[1])};
  };
  const Real q = z.hi * polynomial(z.hi, log_rest);
  const Pair second = sum(constant(two_fifths), {q, real_like(f, 0)});
  const Pair first = sum(constant(two_thirds), times(z, second));
  const Pair series = sum(scaled(s, 2), times(times(s, z), first));
  const Pair big = two_sum(x.exponent * ln2[0], x.exponent * ln2[1]);
  return sum(big, series);
}

Real short_logarithm(Real f) {
  const Real s = f / (f + 2), z = s * s;
  return fused(s * z, polynomial(z, log_short), s + s);
}

Real short_logarithm_of(Real x) {
  const Split split = split_normal(x);
  return fused(split.exponent, ln2_pair[0], short_logarithm(split.mantissa - 1));
}

Real with_limits_of_log(Real x, Real usual) {
  const Real below = chosen(x < 0.0, std::numeric_limits<double>::quiet_NaN(), usual);
  const Real zero = chosen(x == 0.0, -infinity, below);
  return chosen((x == infinity) | is_nan(x), x, zero);
}

namespace of_double {

Real log(Real x) {
  const Split split = math::split(x);
  return with_limits_of_log(
      x, rounded(logarithm({split.mantissa - 1, real_like(x, 0)}, split.exponent)));
}

namespace {

// log(m) / log(base) + exponent: the exponent's own part first.
Real log_to_base(Real x, const double (&reciprocal)[2], const double (&of_two)[2]) {
  const Split split = math::split(x);
  const Real zero = real_like(x, 0);
  const Pair m = logarithm({split.mantissa - 1, zero}, zero);
  const Pair scaled_m = times(m, {real_like(x, reciprocal[0]), real_like(x, reciprocal[1])});
  const Pair s = ordered_sum(split.exponent * of_two[0], scaled_m.hi);
  const Real small = fused(split.exponent, of_two[1], s.lo + scaled_m.lo);
  return with_limits_of_log(x, s.hi + small);
}

}  // namespace

Real log2(Real x) {
  constexpr double one[] = {1, 0};
  return log_to_base(x, log2_e, one);
}

Real log10(Real x) { return log_to_base(x, log10_e, log10_2); }

Real log1p(Real x) {
  const Real y = rounded(logarithm_of_one_and({x, real_like(x, 0)}));
  return with_sign(with_limits_of_log(x + 1, y), x);
}

}  // namespace of_double

namespace of_float {

Real log(Real x) { return with_limits_of_log(x, short_logarithm_of(x)); }

Real log2(Real x) {
  const Split split = split_normal(x);
  return with_limits_of_log(x,
                            fused(short_logarithm(split.mantissa - 1), log2_e[0], split.exponent));
}

Real log10(Real x) { return with_limits_of_log(x, short_logarithm_of(x) * log10_e[0]); }

Real log1p(Real x) {
  const Real u = x + 1;
  const Split split = split_normal(u);
  const Real f = chosen(split.exponent == 0, x, split.mantissa - 1);
  return with_sign(with_limits_of_log(u, fused(split.exponent, ln2_pair[0], short_logarithm(f))),
                   x);
}

}  // namespace of_float

}  // namespace hasten::passes::math
