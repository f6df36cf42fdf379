// e to the power of a pair, for other functions.
#pragma once

#include "passes/own_math/numbers.hpp"

namespace hasten::passes::math {

/// mantissa * 2^exponent, the mantissa between 0.7 and 1.5; its lo may be as large as 0.1.
struct Exponential {
  Pair mantissa;
  Whole exponent;
};

/// e^x for |x| < 2000, accurate to about 2^-58.
Exponential exponential(Pair x);
/// The same for r between -0.35 and 0.35, without an exponent.
Pair exponential_of_small(Pair r);
/// mantissa * 2^exponent as one number.
Real joined(const Exponential& e);

/// For |x| < 2000, accurate to about 2^-40.
struct ShortExponential {
  Real mantissa;
  Whole exponent;
};
ShortExponential short_exponential(Real x);
/// For an exponent between -1020 and 1020.
Real joined(const ShortExponential& e);

}  // namespace hasten::passes::math
