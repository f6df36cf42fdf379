// expect: hasten: this function works on integers, and amounts are integers
#include <hasten/hasten.hpp>

namespace hs = hasten;

using hs::Acc, hs::Vector;

auto f(Acc<Vector<int32_t>> a, Acc<Vector<float>> n) { return hs::rotate_left(a, n); }
