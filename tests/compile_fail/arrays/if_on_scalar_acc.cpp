// expect: acond
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

int f(const Acc<Scalar<float>>& a) {
  if (a < 1.0f) return 1;
  return 0;
}
