// expect: complex numbers have no order
#include <hasten/hasten.hpp>

namespace hs = hasten;

using Pair = std::pair<int32_t, std::complex<float>>;

auto f(hs::Exp<Pair> a, hs::Exp<Pair> b) { return a < b; }
