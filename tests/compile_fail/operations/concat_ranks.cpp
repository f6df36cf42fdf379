// expect: one element type and one rank
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<int>> a, hs::Acc<hs::Matrix<int>> b) { return hs::concat(b, a, a); }
