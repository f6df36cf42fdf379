// expect: seed must convert
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<std::int32_t>> x) {
  return hs::scanr(std::plus<>{}, hs::Exp<float>(), x);
}
