// expect: hint::bring_host_arrays_in_with_use
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

Acc<Vector<float>> twice(Acc<Vector<float>> a);
auto f(const Vector<float>& a) { return twice(a); }
