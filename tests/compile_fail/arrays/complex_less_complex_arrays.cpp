// expect: hasten: complex numbers have no order
#include <hasten/hasten.hpp>

namespace hs = hasten;

using A = hs::Acc<hs::Vector<std::complex<float>>>;

auto f(A a, A b) { return a >= b; }
