// expect: bool
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<float> x) {
  return hs::while_loop([](hs::Exp<float> a) { return a; }, [](hs::Exp<float> a) { return a; }, x);
}
