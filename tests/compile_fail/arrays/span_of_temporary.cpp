// expect: hint::keep_the_array_in_a_variable_its_memory_goes_with_it
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

auto f(const Acc<Vector<float>>& a) { return hs::run(a).span(); }
