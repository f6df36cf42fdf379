// expect gcc: cannot convert .*hasten::Exp<float>
// expect clang: no viable conversion from .*Exp<float>
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

// An implicit conversion, deleted with a hint, would make `e + 1.0f` ambiguous.
float f(const Acc<Vector<float>>& r) {
  float x = r[0];
  return x;
}
