// expect: hint::programs_have_no_values_print_what_run_gives
#include <hasten/hasten.hpp>

#include <sstream>
#include <tuple>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

void f(const Acc<Vector<std::tuple<float, int>>>& a, std::ostringstream& out) { out << a[0]; }
