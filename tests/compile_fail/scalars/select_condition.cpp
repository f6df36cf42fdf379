// expect: bool
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<int32_t> c, hs::Exp<float> x) { return hs::select(c, x, -x); }
