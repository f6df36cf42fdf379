// expect: use\(array\)
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

auto f(const Vector<float>& a) { return hs::sqrt(a); }
