// expect: cast<T>
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

auto f(const Acc<Vector<int>>& a, const Exp<float>& e) { return a * e; }
