// expect: bring_host_arrays_in_with_use
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

auto f(const Vector<float>& a) {
  return hs::map([](Exp<float> x) { return x + 1.0f; }, a);
}
