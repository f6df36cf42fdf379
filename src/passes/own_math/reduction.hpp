// Reduces angles to between -pi/4 and pi/4, and a quadrant.
#pragma once

#include "passes/own_math/numbers.hpp"

namespace hasten::passes::math {

/// x = rest + quadrant * pi / 2, up to multiples of 2 pi, for |x| < infinity. The error of the rest
/// is at most 2^-100, or 2^-60 of the rest, whichever is larger; only the lowest two bits of
/// `quadrant` count.
struct Angle {
  Pair rest;
  Whole quadrant;
};
Angle reduced(Real x);
/// The same, with a relative error of the rest of 2^-50, for numbers that came from float.
struct ShortAngle {
  Real rest;
  Whole quadrant;
};
ShortAngle short_reduced(Real x);

}  // namespace hasten::passes::math
