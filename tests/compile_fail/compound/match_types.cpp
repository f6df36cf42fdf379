// expect: results must have one type
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<std::optional<int32_t>> o) {
  return hs::match(o, [](auto x) { return x; }, [] { return hs::Exp<float>(1); });
}
