// expect: hint::programs_have_no_values_use_what_run_gives
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

float f(const Acc<Vector<float>>& r) { return static_cast<float>(r[0]); }
