// expect: check the number and types of its parameters
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> x, hs::Acc<hs::Vector<float>> y) {
  return hs::zip_with(
      [](hs::Exp<float> a, hs::Exp<float> b, hs::Exp<float> c) { return a + b + c; }, x, y);
}
