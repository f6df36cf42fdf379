// expect: count must be an integer
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> a) {
  return hs::expand([](auto x) { return x; }, [](auto x, auto) { return x; }, a);
}
