// Linear regression by gradient descent: weights with which x w comes close to y.
#pragma once

#include <hasten/hasten.hpp>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

// A row of x is an observation. Each round goes against the gradient of half the mean squared
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
