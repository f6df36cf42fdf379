// expect: force
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Push<float, 1> p, hs::Pull<float, 1> q) {
  return hs::zip_with([](auto x, auto y) { return x + y; }, p, q);
}
