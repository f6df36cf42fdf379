// expect: check the number and types of its parameters
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> x) {
  return hs::map([](hs::Exp<float> a, hs::Exp<float> b) { return a + b; }, x);
}
