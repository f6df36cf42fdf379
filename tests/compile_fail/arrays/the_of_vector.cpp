// expect: (rank|Scalar)
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> x) { return hs::the(x); }
