// expect: random numbers are float or double
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<int32_t> key) { return hs::uniform<int32_t>(key, 0); }
