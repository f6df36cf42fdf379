// expect: more axes than the shape
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Matrix<float>> x) { return hs::broadcast(3, x); }
