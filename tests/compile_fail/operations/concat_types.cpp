// later: one element type and one rank
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> a, hs::Acc<hs::Vector<double>> b) { return hs::concat(a, b); }
