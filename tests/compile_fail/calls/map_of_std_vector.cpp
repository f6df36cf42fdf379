// expect: bring_host_arrays_in_with_use
#include <hasten/hasten.hpp>

#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

auto f(const std::vector<float>& a) {
  return hs::map([](Exp<float> x) { return x + 1.0f; }, a);
}
