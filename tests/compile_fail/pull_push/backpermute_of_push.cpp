// expect: force
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Push<float, 1> p) {
  return hs::backpermute(3, [](auto i) { return i; }, p);
}
