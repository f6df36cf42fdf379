// expect: one element type and one rank
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Pull<float, 2> p, hs::Push<float, 1> q) { return hs::interleave(p, q); }
