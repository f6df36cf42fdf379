// expect: what run gives.*select.*acond
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

int f(const Acc<Vector<float>>& a, const Acc<Vector<float>>& b) {
  if (a == b) return 1;
  return 0;
}
