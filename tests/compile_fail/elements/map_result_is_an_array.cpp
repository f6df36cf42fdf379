// expect: (nest|element|result|return)
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> x, hs::Acc<hs::Vector<float>> y) {
  return hs::map([=](hs::Exp<float>) { return y; }, x);
}
