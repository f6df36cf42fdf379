// expect: offsets of a stencil are plain integers
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> a, hs::Exp<std::int64_t> n) {
  return hs::stencil([=](auto at) { return at(n); }, hs::boundary::clamp, a);
}
