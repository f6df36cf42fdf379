// Bodies of the building blocks.
#include "passes/own_math/numbers.hpp"

#include <bit>
#include <cstddef>
#include <limits>

namespace hasten::passes::math {

namespace {

constexpr double rounder = 0x1.8p52;  // x + rounder is rounded to a whole number
constexpr std::uint64_t rounder_bits = std::bit_cast<std::uint64_t>(rounder);
constexpr std::uint64_t root_half_bits = 0x3fe6a09e667f3bcd;  // of sqrt(1/2)
constexpr unsigned fraction_bits = 52;
constexpr std::uint64_t bias = 1023;

}  // namespace

Pair two_sum(Real a, Real b) {
  const Real s = a + b, other = s - a;
  return {s, (a - (s - other)) + (b - other)};
}

Pair ordered_sum(Real a, Real b) {
  const Real s = a + b;
  return {s, b - (s - a)};
}
Pair ordered_sum(double a, Real b) { return ordered_sum(real_like(b, a), b); }

Pair two_product(Real a, Real b) {
  const Real p = a * b;
  return {p, fused(a, b, -p)};
}
Pair two_product(Real a, double b) { return two_product(a, real_like(a, b)); }

Pair times(Pair a, Pair b) {
  const Pair p = two_product(a.hi, b.hi);
  return ordered_sum(p.hi, fused(a.hi, b.lo, fused(a.lo, b.hi, p.lo)));
}
Pair times(Pair a, Real b) {
  const Pair p = two_product(a.hi, b);
  return ordered_sum(p.hi, fused(a.lo, b, p.lo));
}

Pair quotient(Pair a, Pair b) {
  const Real reciprocal = 1 / b.hi, q = a.hi * reciprocal;
  const Real rest = fused(-q, b.hi, a.hi) + fused(-q, b.lo, a.lo);
  return ordered_sum(q, rest * reciprocal);
}

Pair root(Pair a) {
  const Real r = root(a.hi), rest = fused(-r, r, a.hi) + a.lo;
  return ordered_sum(r, rest / chosen(r == 0.0, 1.0, r + r));
}

Pair sum(Pair a, Pair b) {
  const Pair s = two_sum(a.hi, b.hi);
  return ordered_sum(s.hi, s.lo + (a.lo + b.lo));
}
Pair sum(double a, Pair b) {
  const Pair s = two_sum(real_like(b.hi, a), b.hi);
  return ordered_sum(s.hi, s.lo + b.lo);
}

Pair chosen(Truth condition, Pair a, Pair b) {
  return {chosen(condition, a.hi, b.hi), chosen(condition, a.lo, b.lo)};
}
Pair operator-(Pair a) { return {-a.hi, -a.lo}; }
Pair scaled(Pair a, double power) { return {a.hi * power, a.lo * power}; }
Real rounded(Pair a) { return a.hi + a.lo; }

Real unless_limit(Real x, Real y) {
  return chosen(magnitude(x) < std::numeric_limits<double>::infinity(), y, x);
}

Real polynomial(Real x, std::span<const double> coefficients) {
  Real result = real_like(x, coefficients.back());
  for (std::size_t i = coefficients.size() - 1; i-- > 0;)
    result = fused(result, x, coefficients[i]);
  return result;
}

Nearest nearest(Real x) {
  const Real moved = x + rounder;
  return {moved - rounder, bits(moved) - rounder_bits};
}

Real power_of_two(Whole n) { return real((n + bias) << fraction_bits); }

Real scaled(Real y, Whole n) {
  const Whole half = signed_shift(n, 1);
  return (y * power_of_two(half)) * power_of_two(n - half);
}

Split split_normal(Real x) {
  const Whole word = bits(x), n = signed_shift(word - root_half_bits, fraction_bits);
  return {real(word - (n << fraction_bits)), real(n + rounder_bits) - rounder, n};
}

Split split(Real x) {
  constexpr double lift = 0x1p54;
  const Truth subnormal = x < 0x1p-1022;
  Split result = split_normal(chosen(subnormal, x * lift, x));
  const Real shift = chosen(subnormal, -54.0, 0.0);
  result.exponent = result.exponent + shift;
  result.whole = result.whole + chosen(subnormal, whole_like(result.whole, -std::uint64_t{54}),
                                       whole_like(result.whole, 0));
  return result;
}

Real clamped(Real x, double low, double high) {
  const Real above = chosen(x < low, low, x);
  return chosen(above > high, high, above);
}

}  // namespace hasten::passes::math
