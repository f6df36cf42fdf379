// expect: rank 1 or 2
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Array<float, 3>> x, hs::Acc<hs::Matrix<float>> y) { return hs::matmul(x, y); }
