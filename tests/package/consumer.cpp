// The smallest program: a dot product, checked.
#include <cstdio>
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Scalar, hs::Vector;

static Acc<Scalar<float>> dotp(Acc<Vector<float>> xs, Acc<Vector<float>> ys) {
  return hs::sum(hs::zip_with(std::multiplies<>{}, xs, ys));
}

int main() {
  Vector<float> xs{1, 2, 3}, ys{4, 5, 6};
  float result = hs::run(dotp(hs::use(xs), hs::use(ys))).item();
  std::printf("%g\n", static_cast<double>(result));
  return result == 32.0f ? 0 : 1;
}
