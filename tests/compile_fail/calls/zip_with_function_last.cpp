// expect: functions come first, arrays last
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

auto f(const Acc<Vector<float>>& a) {
  return hs::zip_with(a, a, [](Exp<float> x, Exp<float> y) { return x * y; });
}
