// expect: write select
#include <hasten/hasten.hpp>

namespace hs = hasten;

hs::Exp<float> f(hs::Exp<bool> c, hs::Exp<float> x) { return c ? x : -x; }
