// expect: one offset per axis
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Matrix<float>> a) {
  return hs::stencil([](auto at) { return at(1); }, hs::boundary::clamp, a);
}
