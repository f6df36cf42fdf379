// expect: (integ|bit)
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<float> x, hs::Exp<float> y) { return x & y; }
