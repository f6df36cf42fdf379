// Angles between -pi/4 and pi/4, and their quadrants.
#pragma once

#include "passes/own_math/numbers.hpp"

namespace hasten::passes::math {

/// x = rest + quadrant * pi / 2, but for multiples of 2 pi: of |x| < infinity. The rest is within
/// 2^-100 or 2^-60 of itself, whichever is larger; `quadrant` counts in its lowest two bits.
struct Angle {
  Pair rest;
  Whole quadrant;
};
Angle reduced(Real x);
/// The same, the rest within 2^-50 of itself, of numbers that are float's.
struct ShortAngle {
  Real rest;
  Whole quadrant;
};
ShortAngle short_reduced(Real x);

}  // namespace hasten::passes::math
