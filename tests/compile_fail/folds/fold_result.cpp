// expect: (fold|operator).*(result|return|type|element)|(result|return).*(fold|operator)
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> x) {
  return hs::fold([](hs::Exp<float> a, hs::Exp<float> b) { return a < b; }, 0.0f, x);
}
