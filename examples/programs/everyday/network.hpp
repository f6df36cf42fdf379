// A dense network with one hidden layer, and one training step whose backward pass is written by
// hand.
#pragma once

#include <hasten/hasten.hpp>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Vector;

template <template <class> class In>
struct Network {
  In<Matrix<float>> first;        // inputs x hidden
  In<Vector<float>> first_bias;   // hidden
  In<Matrix<float>> second;       // hidden x classes
  In<Vector<float>> second_bias;  // classes
};
HASTEN_GROUP(Network, first, first_bias, second, second_bias);

inline Acc<Matrix<float>> layer(Acc<Matrix<float>> x, Acc<Matrix<float>> weights,
                                Acc<Vector<float>> bias) {
  auto sums = hs::matmul(x, weights);
  return sums + hs::broadcast(hs::shape(sums), bias);
}

inline Acc<Matrix<float>> hidden(Network<Acc> net, Acc<Matrix<float>> x) {
  return hs::max(layer(x, net.first, net.first_bias), 0.0f);
}

// The probability of each class, for each row of x.
inline Acc<Matrix<float>> probabilities(Network<Acc> net, Acc<Matrix<float>> x) {
  return hs::softmax(layer(hidden(net, x), net.second, net.second_bias));
}

// The network after one gradient step on the mean cross entropy of the rows of x.
inline Network<Acc> trained(Exp<float> rate, Network<Acc> net, Acc<Matrix<float>> x,
                            Acc<Vector<int32_t>> classes) {
  auto active = hidden(net, x);
  auto guesses = hs::softmax(layer(active, net.second, net.second_bias));
  auto miss = hs::imap(
      [=](Exp<Ix<2>> ix, Exp<float> p) {
        return p - hs::select(ix[1] == hs::cast<int64_t>(classes[ix[0]]), 1.0f, 0.0f);
      },
      guesses);
  auto back = hs::select(active > 0.0f, hs::matmul(miss, hs::transpose(net.second)), 0.0f);
  auto share = rate / hs::cast<float>(hs::size(classes));
  return {net.first - share * hs::matmul(hs::transpose(x), back),
          net.first_bias - share * hs::sum_on<0>(back),
          net.second - share * hs::matmul(hs::transpose(active), miss),
          net.second_bias - share * hs::sum_on<0>(miss)};
}

}  // namespace programs
