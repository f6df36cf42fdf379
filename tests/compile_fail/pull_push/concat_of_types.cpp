// expect: one element type and one rank
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Push<float, 1> p, hs::Push<int, 1> q) { return hs::concat(p, q); }
