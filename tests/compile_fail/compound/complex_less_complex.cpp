// expect: hasten: complex numbers have no order
#include <hasten/hasten.hpp>

namespace hs = hasten;

using Z = hs::Exp<std::complex<float>>;

auto f(Z a, Z b) { return a < b; }
