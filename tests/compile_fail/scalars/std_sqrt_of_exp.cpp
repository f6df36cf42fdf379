// expect: no matching function.*sqrt
#include <hasten/hasten.hpp>

#include <cmath>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

// Nothing of Hasten's can stand in std: the compiler names the call and the type, and no more.
auto f(const Exp<float>& e) { return std::sqrt(e); }
