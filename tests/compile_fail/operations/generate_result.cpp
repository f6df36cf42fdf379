// expect: (element|result|return)
#include <hasten/hasten.hpp>

namespace hs = hasten;

struct Opaque {};
auto f() {
  return hs::generate(hs::ix(10), [](hs::Exp<int64_t>) { return Opaque{}; });
}
