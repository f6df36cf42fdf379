// expect: cast
#include <hasten/hasten.hpp>

namespace hs = hasten;

hs::Exp<int32_t> f(hs::Exp<int32_t> x) { return x + 0.5; }
