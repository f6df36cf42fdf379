// expect: (signature|template|compile<|generic)
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f() {
  return hs::compile([](auto x) { return hs::map([](auto e) { return e + 1; }, x); });
}
