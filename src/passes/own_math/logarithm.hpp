// Logarithms of pairs, for other functions.
#pragma once

#include "passes/own_math/numbers.hpp"

namespace hasten::passes::math {

/// log(1 + f) + exponent * log(2), 1 + f between sqrt(1/2) and sqrt(2), accurate to about 2^-56;
/// |f.lo| < 2^-50.
Pair logarithm(Pair f, Real exponent);
/// log of a pair above 0, neither subnormal nor infinite, accurate to about 2^-56.
Pair logarithm(Pair x);
/// log(1 + a) of a pair a > -1.
Pair logarithm_of_one_and(Pair a);
/// log(mantissa) + exponent * log(2), accurate to about 2^-68.
Pair accurate_logarithm(const Split& x);

/// log(1 + f), accurate to about 2^-42.
Real short_logarithm(Real f);
/// For x > 0, not subnormal.
Real short_logarithm_of(Real x);

/// The value of a logarithm at 0, below 0, at infinity and NaN; elsewhere `usual`.
Real with_limits_of_log(Real x, Real usual);

}  // namespace hasten::passes::math
