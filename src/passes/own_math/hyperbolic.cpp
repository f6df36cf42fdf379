// sinh, cosh, tanh: from e^|x| and its reciprocal, and near 0 by polynomials.
#include "passes/own_math/coefficients.hpp"
#include "passes/own_math/exponential.hpp"
#include "passes/own_math/functions.hpp"

namespace hasten::passes::math {

using namespace coefficients;

namespace {

constexpr double near_zero = 0.35;

// x + x^3 P(x^2)
Real odd_polynomial(Real x, std::span<const double> coefficients) {
  const Real z = x * x;
  return fused(x * z, polynomial(z, coefficients), x);
}

// Terms such as (growing + 2^-2n / growing) 2^n: e^x = growing * 2^n, e^-x = shrinking * 2^n.
struct Exponentials {
  Pair growing, shrinking;
  Whole exponent;
};
Exponentials exponentials(Real size) {
  constexpr double most = 711, alone = 40;
  const Exponential e = exponential({clamped(size, 0, most), real_like(size, 0)});
  const Pair one{real_like(size, 1), real_like(size, 0)};
  const Pair growing = ordered_sum(e.mantissa.hi, e.mantissa.lo);
  const Pair reciprocal = quotient(one, growing);
  const Whole zero = whole_like(e.exponent, 0);
  const Real power = chosen(size > alone, 0.0, power_of_two(zero - e.exponent - e.exponent));
  return {growing, {reciprocal.hi * power, reciprocal.lo * power}, e.exponent};
}

// e^x for |x| < 90, to float's accuracy.
Real short_exp(Real size) { return joined(short_exponential(clamped(size, 0, 100))); }

}  // namespace

namespace of_double {

Real sinh(Real x) {
  const Real size = magnitude(x);
  const Exponentials e = exponentials(size);
  const Real far = scaled(rounded(sum(e.growing, -e.shrinking)), e.exponent - 1);
  return with_sign(chosen(size < near_zero, odd_polynomial(size, sinh_full), far), x);
}

Real cosh(Real x) {
  const Exponentials e = exponentials(magnitude(x));
  return scaled(rounded(sum(e.growing, e.shrinking)), e.exponent - 1);
}

Real tanh(Real x) {
  const Real size = magnitude(x);
  const Exponentials e = exponentials(size);
  const Pair far = quotient(sum(e.growing, -e.shrinking), sum(e.growing, e.shrinking));
  return with_sign(chosen(size < near_zero, odd_polynomial(size, tanh_full), rounded(far)), x);
}

}  // namespace of_double

namespace of_float {

Real sinh(Real x) {
  const Real size = magnitude(x), e = short_exp(size), far = (e - 1 / e) * 0.5;
  return with_sign(chosen(size < near_zero, odd_polynomial(size, sinh_short), far), x);
}

Real cosh(Real x) {
  const Real e = short_exp(magnitude(x));
  return (e + 1 / e) * 0.5;
}

Real tanh(Real x) {
  const Real size = magnitude(x), e = short_exp(size + size), far = 1 - 2 / (e + 1);
  return with_sign(chosen(size < near_zero, odd_polynomial(size, tanh_short), far), x);
}

}  // namespace of_float

}  // namespace hasten::passes::math
