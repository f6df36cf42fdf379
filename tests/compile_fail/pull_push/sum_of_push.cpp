// expect: force
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Push<float, 2> p) { return hs::sum_on<0>(p); }
