// expect: check the number and types of its parameters
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

auto f(const Acc<Vector<float>>& a) {
  return hs::map([](Exp<int> x) { return x + 1; }, a);
}
