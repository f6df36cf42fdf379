// expect: hint::match_takes_an_optional_or_a_variant
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<int32_t> n) {
  return hs::match(n, [](auto x) { return x; }, [](auto x) { return x; });
}
