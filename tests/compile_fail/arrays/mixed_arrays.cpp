// expect: never mix silently: say which type you mean with cast
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> x, hs::Acc<hs::Vector<double>> y) { return x + y; }
