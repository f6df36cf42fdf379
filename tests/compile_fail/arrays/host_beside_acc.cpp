// expect: hint::bring_host_arrays_in_with_use
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

auto f(const Vector<float>& a, const Acc<Vector<float>>& b) { return a + b; }
