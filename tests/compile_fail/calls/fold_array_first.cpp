// expect: functions_and_numbers_come_first_arrays_last
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

auto f(const Acc<Vector<float>>& a) {
  return hs::fold(a, [](Exp<float> x, Exp<float> y) { return x + y; }, 0.0f);
}
