// expect: hint::programs_have_no_values_print_what_run_gives
#include <hasten/hasten.hpp>

#include <iostream>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

void f(const Acc<Vector<float>>& a) { std::cout << a; }
