// The own functions: accurate ones for double, and quick ones for numbers that came from float.
// Both take and return f64; the latter are accurate to about 2^-40, so that rounding them is almost
// always correct.
#pragma once

#include "passes/own_math/code.hpp"

namespace hasten::passes::math {

namespace of_double {
Real exp(Real x);
Real exp2(Real x);
Real expm1(Real x);
Real log(Real x);
Real log2(Real x);
Real log10(Real x);
Real log1p(Real x);
Real pow(Real x, Real y);
Real sin(Real x);
Real cos(Real x);
Real tan(Real x);
Real asin(Real x);
Real acos(Real x);
Real atan(Real x);
Real atan2(Real y, Real x);
Real sinh(Real x);
Real cosh(Real x);
Real tanh(Real x);
Real asinh(Real x);
Real acosh(Real x);
Real atanh(Real x);
Real erf(Real x);
Real erfc(Real x);
Real rsqrt(Real x);
Real cbrt(Real x);
Real hypot(Real x, Real y);
}  // namespace of_double

namespace of_float {
Real exp(Real x);
Real exp2(Real x);
Real expm1(Real x);
Real log(Real x);
Real log2(Real x);
Real log10(Real x);
Real log1p(Real x);
Real pow(Real x, Real y);
Real sin(Real x);
Real cos(Real x);
Real tan(Real x);
Real asin(Real x);
Real acos(Real x);
Real atan(Real x);
Real atan2(Real y, Real x);
Real sinh(Real x);
Real cosh(Real x);
Real tanh(Real x);
Real asinh(Real x);
Real acosh(Real x);
Real atanh(Real x);
Real erf(Real x);
Real erfc(Real x);
Real rsqrt(Real x);
Real cbrt(Real x);
Real hypot(Real x, Real y);
}  // namespace of_float

}  // namespace hasten::passes::math
