// expect: check the number and types of its parameters
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

auto f() {
  return hs::generate(3, [](Exp<int64_t> i, Exp<int64_t> j) { return i + j; });
}
