// expect: nest parallel operations
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

auto f(const Acc<Matrix<float>>& m, const Acc<Vector<float>>& a) {
  return hs::map([=](Exp<float>) { return hs::sum(m); }, a);
}
