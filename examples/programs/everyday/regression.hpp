// Linear regression by gradient descent: finds weights w such that x w approximates y.
#pragma once

#include <hasten/hasten.hpp>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

// A row of x is an observation. Each round follows the negative gradient of half the mean squared
// error.
inline Acc<Vector<float>> regression(Exp<int64_t> rounds, Exp<float> rate, Acc<Matrix<float>> x,
                                     Acc<Vector<float>> y) {
  auto share = rate / hs::cast<float>(hs::size(y));
  auto descend = [=](Acc<Vector<float>> weights) {
    auto errors = hs::matmul(x, weights) - y;
    return weights - share * hs::matmul(errors, x);
  };
  return hs::aiterate(rounds, descend, hs::fill(hs::shape(x)[1], 0.0f));
}

}  // namespace programs
