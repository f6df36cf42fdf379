// expect: bring_host_arrays_in_with_use
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

auto f(const hs::Matrix<float>& a) { return hs::sum_on<0>(a); }
