// expect: real\(e\)
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<std::complex<float>> z) { return hs::cast<float>(z); }
