// expect: works on vectors
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Matrix<float>> a) {
  return hs::partition([](auto x) { return x > 0.0f; }, a);
}
