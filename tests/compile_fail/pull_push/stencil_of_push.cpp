// expect: force
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Push<float, 1> p) {
  return hs::stencil([](auto at) { return at(1); }, hs::boundary::clamp, p);
}
