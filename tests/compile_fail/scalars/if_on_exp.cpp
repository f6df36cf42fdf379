// expect: write select
#include <hasten/hasten.hpp>

namespace hs = hasten;

hs::Exp<float> f(hs::Exp<float> x) {
  if (x > 0.0f) return x;
  return -x;
}
