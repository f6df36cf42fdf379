// expect: (type|cast)
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<bool> c) { return hs::select(c, 1, 2.0); }
