// expect: (state|body)
// expect: float
// expect: int
#include <hasten/hasten.hpp>
#include <tuple>

namespace hs = hasten;

auto f(hs::Exp<float> x) {
  return hs::while_loop([](hs::Exp<float> a) { return a < 4.0f; },
                        [](hs::Exp<float> a) { return hs::cast<int32_t>(a); }, x);
}
