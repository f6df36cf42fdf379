// expect: rank
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Pull<float, 2> p, hs::Pull<float, 1> q) {
  return hs::zip_with([](auto x, auto y) { return x + y; }, p, q);
}
