// expect gcc: operator of a fold, scan or permute must have the element type
// later clang: operator of a fold, scan or permute must have the element type
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> x) {
  return hs::scanl1([](hs::Exp<float> a, hs::Exp<float> b) { return a < b; }, x);
}
