// expect: cast<T>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Matrix<float>> x, hs::Acc<hs::Matrix<double>> y) { return hs::matmul(x, y); }
