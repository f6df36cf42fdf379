// pow: e^(y log x), with the logarithm accurate to 2^-68 and the product as a pair (as in W. J.
// Cody and W. Waite, "Software Manual for the Elementary Functions", 1980, chapter 7, with pairs in
// place of their tables).
#include "passes/own_math/coefficients.hpp"
#include "passes/own_math/exponential.hpp"
#include "passes/own_math/functions.hpp"
#include "passes/own_math/logarithm.hpp"

namespace hasten::passes::math {

namespace {

// The limits of |x|^y: `usual` where both are finite and x is not 0.
Real with_limits(Real size, Real y, Real usual) {
  const Truth grows = (y > 0.0) & (size > 1.0), shrinks = (y < 0.0) & (size < 1.0);
  const Real limit = chosen(grows | shrinks, infinity, 0.0);
  const Truth at_limit = (size == 0.0) | (size == infinity) | (magnitude(y) == infinity);
  return chosen(at_limit, limit, usual);
}

// x^y from its magnitude: the sign, and NaN where there is no such number (C, F.10.4.4).
Real with_sign_of_power(Real x, Real y, Real size) {
  const Real half = y * 0.5;
  const Truth whole = truncated(y) == y, even = truncated(half) == half;
  const Real minus = with_sign(size, x);
  const Real signed_size = chosen(whole & !even, minus, size);
  const Truth none = (x < 0.0) & !whole & (x > -infinity);
  const Real result = chosen(is_nan(x) | is_nan(y) | none, not_a_number, signed_size);
  const Truth one = (x == 1.0) | (y == 0.0) | ((x == -1.0) & (magnitude(y) == infinity));
  return chosen(one, 1.0, result);
}

}  // namespace

namespace of_double {

Real pow(Real x, Real y) {
  constexpr double low = -746, high = 710;
  const Real size = magnitude(x);
  const Pair log = accurate_logarithm(split(size));
  const Pair product = two_product(y, log.hi);
  const Real most = clamped(product.hi, low, high);
  const Real rest = chosen(most == product.hi, fused(y, log.lo, product.lo), 0.0);
  const Real usual = joined(exponential({most, rest}));
  return with_sign_of_power(x, y, with_limits(size, y, usual));
}

}  // namespace of_double

namespace of_float {

Real pow(Real x, Real y) {
  const Real size = magnitude(x);
  const Real product = clamped(y * short_logarithm_of(size), -110, 90);
  return with_sign_of_power(x, y, with_limits(size, y, joined(short_exponential(product))));
}

}  // namespace of_float

}  // namespace hasten::passes::math
