// expect: complex numbers have no order
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<std::complex<float>>> a) { return hs::sort(a); }
