// expect: matmul
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Matrix<float>> x) { return hs::dot(x, x); }
