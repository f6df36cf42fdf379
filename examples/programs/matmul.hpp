// The product of two matrices, written as its definition: a fold of products over an index space of
// three axes.
#pragma once

#include <functional>
#include <hasten/hasten.hpp>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Matrix;

// Rows of `a` and columns of `b` are only notionally repeated; no three-dimensional array is
// stored.
inline Acc<Matrix<float>> matmul(Acc<Matrix<float>> a, Acc<Matrix<float>> b) {
  auto height = hs::shape(a)[0];
  auto width = hs::shape(b)[1];
  auto rows = hs::replicate(hs::over(hs::keep, width, hs::keep), a);
  auto columns = hs::replicate(hs::over(height, hs::keep, hs::keep), hs::transpose(b));
  return hs::fold(std::plus<>{}, 0.0f, hs::zip_with(std::multiplies<>{}, rows, columns));
}

}  // namespace programs
