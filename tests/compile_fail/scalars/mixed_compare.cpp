// expect: never mix silently: say which type you mean with cast
#include <hasten/hasten.hpp>

namespace hs = hasten;

hs::Exp<bool> f(hs::Exp<float> x, hs::Exp<double> y) { return x < y; }
