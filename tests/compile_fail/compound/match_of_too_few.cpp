// expect: hint::match_takes_an_optional_or_a_variant
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<std::variant<int32_t, float>> v) {
  return hs::match(v, [](auto x) { return hs::cast<float>(x); });
}
