// expect: acond
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<bool> c, hs::Acc<hs::Vector<float>> x, hs::Acc<hs::Vector<float>> y) {
  return hs::select(c, x, y);
}
