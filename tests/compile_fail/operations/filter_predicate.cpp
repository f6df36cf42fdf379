// expect gcc: condition must be an Exp<bool>
// later clang: condition must be an Exp<bool>
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> a) {
  return hs::filter([](auto x) { return x + 1.0f; }, a);
}
