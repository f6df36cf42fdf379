// expect: (cast|type)
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<bool> c, hs::Exp<float> x, hs::Exp<int32_t> y) { return hs::select(c, x, y); }
