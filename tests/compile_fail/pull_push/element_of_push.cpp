// expect: force
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Push<float, 1> p) { return p[0]; }
