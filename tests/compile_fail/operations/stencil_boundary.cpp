// expect: boundary of a stencil is
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> a) {
  return hs::stencil([](auto at) { return at(1); }, 0.0f, a);
}
