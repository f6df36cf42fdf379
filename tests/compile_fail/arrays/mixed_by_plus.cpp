// expect: cast<T>
#include <hasten/hasten.hpp>

#include <functional>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

auto f(const Acc<Vector<int>>& a, const Acc<Vector<float>>& b) {
  return hs::zip_with(std::plus<>{}, a, b);
}
