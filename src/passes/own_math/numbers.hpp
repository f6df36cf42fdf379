// Building blocks of the own functions: unevaluated sums of two numbers, exponents, polynomials.
#pragma once

#include "passes/own_math/code.hpp"

#include <span>

namespace hasten::passes::math {

/// hi + lo, |lo| at most about half a unit in the last place of hi: about 106 bits.
struct Pair {
  Real hi, lo;
};

/// a + b without error (D. E. Knuth, "The Art of Computer Programming", volume 2, 4.2.2, theorem
/// B).
Pair two_sum(Real a, Real b);
/// The same for |a| >= |b|, or a = 0 (T. J. Dekker, "A floating-point technique for extending the
/// available precision", 1971).
Pair ordered_sum(Real a, Real b);
Pair ordered_sum(double a, Real b);
/// a * b without error where nothing is subnormal.
Pair two_product(Real a, Real b);
Pair two_product(Real a, double b);
/// The errors of these are a few 2^-106 of the result.
Pair times(Pair a, Pair b);
Pair times(Pair a, Real b);
Pair quotient(Pair a, Pair b);
/// The square root of a number that is not negative.
Pair root(Pair a);
/// a + b, for |a| >= |b|.
Pair sum(Pair a, Pair b);
Pair sum(double a, Pair b);
Pair chosen(Truth condition, Pair a, Pair b);
Pair operator-(Pair a);
/// Times a power of two.
Pair scaled(Pair a, double power);
Real rounded(Pair a);
/// y, or x itself where that is infinite or NaN.
Real unless_limit(Real x, Real y);

/// Horner's scheme, the constant first.
Real polynomial(Real x, std::span<const double> coefficients);

/// The nearest integer, as a real and as a whole number, for |x| < 2^51.
struct Nearest {
  Real number;
  Whole whole;
};
Nearest nearest(Real x);

/// 2^n for n in -1022..1023.
Real power_of_two(Whole n);
/// y * 2^n for y between 1/4 and 4 and |n| < 2000: rounded once unless the result is subnormal.
Real scaled(Real y, Whole n);

/// x = mantissa * 2^exponent, for x > 0, finite: the mantissa is between sqrt(1/2) and sqrt(2).
struct Split {
  Real mantissa, exponent;
  Whole whole;  // the exponent
};
/// For normal numbers.
Split split_normal(Real x);
/// For subnormal ones too.
Split split(Real x);

/// min(max(x, low), high); NaN stays.
Real clamped(Real x, double low, double high);

}  // namespace hasten::passes::math
