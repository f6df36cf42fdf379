// expect: while_loop
#include <hasten/hasten.hpp>

namespace hs = hasten;

hs::Exp<int32_t> f(hs::Exp<int32_t> x) {
  while (x < 10) x += 1;
  return x;
}
