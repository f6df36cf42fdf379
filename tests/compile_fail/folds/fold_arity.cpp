// expect: (argument|parameter|operator|callable|called)
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> x) {
  return hs::fold([](hs::Exp<float> a) { return a; }, 0.0f, x);
}
