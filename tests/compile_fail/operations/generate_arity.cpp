// expect: check the number and types of its parameters
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

auto f() {
  return hs::generate(hs::ix(2, 3), [](Exp<int64_t> i) { return i; });
}
