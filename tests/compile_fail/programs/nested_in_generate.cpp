// expect: nest parallel operations
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

auto f() {
  return hs::generate(3, [](Exp<int64_t> n) { return hs::iota(n); });
}
