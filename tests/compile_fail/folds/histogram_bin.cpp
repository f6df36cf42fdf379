// expect: bin must return an integer
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> a) {
  return hs::histogram(10, [](auto x) { return x * 2.0f; }, a);
}
