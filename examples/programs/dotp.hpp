// The dot product, and y = a x + y: two of the smallest programs.
#pragma once

#include <functional>
#include <hasten/hasten.hpp>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;

// One kernel: the products are never stored.
inline Acc<Scalar<float>> dotp(Acc<Vector<float>> xs, Acc<Vector<float>> ys) {
  return hs::sum(hs::zip_with(std::multiplies<>{}, xs, ys));
}

// `a` is an Exp, so each call of the compiled program may pass another value.
inline Acc<Vector<float>> saxpy(Exp<float> a, Acc<Vector<float>> xs, Acc<Vector<float>> ys) {
  return hs::zip_with([=](Exp<float> x, Exp<float> y) { return a * x + y; }, xs, ys);
}

}  // namespace programs
