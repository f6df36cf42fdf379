// expect: update
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<std::array<float, 4>> a) { return hs::update(a, 1, hs::Exp<double>(2)); }
