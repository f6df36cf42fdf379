// asinh, acosh, atanh: logarithms of pairs, written so that nothing cancels near 0 and 1
// (W. Kahan, "Branch cuts for complex elementary functions", 1987, section 8).
#include "passes/own_math/coefficients.hpp"
#include "passes/own_math/functions.hpp"
#include "passes/own_math/logarithm.hpp"

namespace hasten::passes::math {

using namespace coefficients;

namespace {

constexpr double large = 0x1p60;         // where x + sqrt(x^2 + 1) is 2 x
constexpr double series_below = 0.1715;  // where the logarithm's series is atanh itself

// log(1 + a), or log(2 x) for a large x.
Real logarithm_of(Real x, Pair a) {
  const Truth is_large = x > large;
  const Pair log = logarithm_of_one_and(chosen(is_large, Pair{x, real_like(x, 0)}, a));
  const Pair two{real_like(x, ln2_pair[0]), real_like(x, ln2_pair[1])};
  return rounded(chosen(is_large, sum(log, two), log));
}

// atanh(x) = x + x z R / 2 with the series of the logarithm.
Real atanh_series(Real x, std::span<const double> coefficients) {
  const Real z = x * x;
  return fused(x * z * 0.5, polynomial(z, coefficients), x);
}

Real with_limits_of_atanh(Real x, Real usual) {
  const Real size = magnitude(x);
  const Real limit = chosen(size == 1.0, infinity, not_a_number);
  return with_sign(chosen(size < 1.0, usual, limit), x);
}

Real short_log1p(Real a) {
  const Split split = split_normal(a + 1);
  const Real f = chosen(split.exponent == 0.0, a, split.mantissa - 1);
  return fused(split.exponent, ln2_pair[0], short_logarithm(f));
}

}  // namespace

namespace of_double {

// asinh(x) = log(1 + x + x^2 / (1 + sqrt(1 + x^2)))
Real asinh(Real x) {
  const Real size = magnitude(x), bounded = clamped(size, 0, large);
  const Pair square = two_product(bounded, bounded);
  const Pair below = sum(1.0, root(sum(1.0, square)));
  const Pair a = sum(Pair{bounded, real_like(x, 0)}, quotient(square, below));
  return unless_limit(x, with_sign(logarithm_of(size, a), x));
}

// acosh(1 + t) = log(1 + t + sqrt(2 t + t^2))
Real acosh(Real x) {
  const Pair t = two_sum(clamped(x, 0, large), real_like(x, -1));
  const Pair product = times(t, sum(2.0, t));
  const Pair a = sum(t, root(product));
  const Real y = chosen(x == 1.0, 0.0, logarithm_of(x, a));
  return chosen(x < 1.0, not_a_number, unless_limit(x, y));
}

Real atanh(Real x) {
  const Real size = magnitude(x), one = real_like(x, 1);
  const Pair log = logarithm(quotient(two_sum(one, size), two_sum(one, -size)));
  const Real far = rounded(log) * 0.5;
  return with_limits_of_atanh(x, chosen(size < series_below, atanh_series(size, log_full), far));
}

}  // namespace of_double

namespace of_float {

Real asinh(Real x) {
  const Real size = magnitude(x), square = size * size;
  const Real y = short_log1p(size + square / (root(square + 1) + 1));
  return unless_limit(x, with_sign(y, x));
}

Real acosh(Real x) {
  const Real t = x - 1, y = short_log1p(t + root(t * (t + 2)));
  return chosen(x < 1.0, not_a_number, unless_limit(x, y));
}

Real atanh(Real x) {
  const Real size = magnitude(x);
  const Real far = short_logarithm_of((size + 1) / (1 - size)) * 0.5;
  return with_limits_of_atanh(x, chosen(size < series_below, atanh_series(size, log_short), far));
}

}  // namespace of_float

}  // namespace hasten::passes::math
