// expect: (float|cast)
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<int32_t> x) { return hs::sqrt(x); }
