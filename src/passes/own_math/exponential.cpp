// exp, exp2, expm1: x = n log(2) + r, e^x = 2^n e^r (W. J. Cody and W. Waite, "Software Manual for
// the Elementary Functions", 1980, chapter 6), e^r by a polynomial.
#include "passes/own_math/exponential.hpp"

#include "passes/own_math/coefficients.hpp"
#include "passes/own_math/functions.hpp"

namespace hasten::passes::math {

using namespace coefficients;

Pair exponential_of_small(Pair r) {
  const Real rest = r.hi * r.hi * polynomial(r.hi, exp_full);
  const Pair s = ordered_sum(1.0, r.hi);
  return {s.hi, s.lo + fused(r.lo, s.hi + rest, rest)};
}

// n * ln2[0] is exact, and so is the remainder of x.
Exponential exponential(Pair x) {
  const Nearest n = nearest(x.hi * log2_e[0]);
  const Real first = fused(-n.number, ln2[0], x.hi);
  const Pair r = two_sum(first, n.number * -ln2[1]);
  return {exponential_of_small({r.hi, r.lo + x.lo}), n.whole};
}

Real joined(const Exponential& e) { return scaled(rounded(e.mantissa), e.exponent); }

ShortExponential short_exponential(Real x) {
  const Nearest n = nearest(x * log2_e[0]);
  const Real r = fused(n.number, -ln2_pair[0], x);
  return {fused(r * r, polynomial(r, exp_short), r) + 1, n.whole};
}

Real joined(const ShortExponential& e) { return e.mantissa * power_of_two(e.exponent); }

namespace {

// Beyond these limits results are infinity and 0.
constexpr double exp_low = -746, exp_high = 710, exp2_low = -1080, exp2_high = 1025;
constexpr double expm1_low = -40;
constexpr double float_low = -110, float_high = 90;

Real zero_of(Real x) { return real_like(x, 0); }

}  // namespace

namespace of_double {

Real exp(Real x) { return joined(exponential({clamped(x, exp_low, exp_high), zero_of(x)})); }

Real exp2(Real x) {
  const Real y = clamped(x, exp2_low, exp2_high);
  const Nearest n = nearest(y);
  const Real r = y - n.number;
  const Pair small = two_product(r, ln2_pair[0]);
  return joined(
      Exponential{exponential_of_small({small.hi, fused(r, ln2_pair[1], small.lo)}), n.whole});
}

// 2^n (e^r - 2^-n): the difference of exact numbers, plus the remainder of e^r.
Real expm1(Real x) {
  const Exponential e = exponential({clamped(x, expm1_low, exp_high), zero_of(x)});
  constexpr double beyond = 64;  // the 1 no longer counts
  const Real one = chosen(x > beyond, 0.0, power_of_two(whole_like(e.exponent, 0) - e.exponent));
  const Pair difference = two_sum(e.mantissa.hi, -one);
  const Real y = difference.hi + (difference.lo + e.mantissa.lo);
  return with_sign(scaled(y, e.exponent), x);
}

}  // namespace of_double

namespace of_float {

Real exp(Real x) { return joined(short_exponential(clamped(x, float_low, float_high))); }

Real exp2(Real x) {
  const Real y = clamped(x, -160, 130);
  const Nearest n = nearest(y);
  const Real r = (y - n.number) * ln2_pair[0];
  return (fused(r * r, polynomial(r, exp_short), r) + 1) * power_of_two(n.whole);
}

Real expm1(Real x) {
  const Nearest n = nearest(clamped(x, expm1_low, float_high) * log2_e[0]);
  const Real r = fused(n.number, -ln2_pair[0], clamped(x, expm1_low, float_high));
  const Real rest = fused(r * r, polynomial(r, exp_short), r), power = power_of_two(n.whole);
  return with_sign(fused(power, rest, power - 1), x);
}

}  // namespace of_float

}  // namespace hasten::passes::math
