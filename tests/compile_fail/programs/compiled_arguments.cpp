// expect: (argument|callable|match|conver)
#include <hasten/hasten.hpp>

namespace hs = hasten;

hs::Acc<hs::Vector<float>> twice(hs::Acc<hs::Vector<float>> x) { return x + x; }
auto f(hs::Vector<int32_t> x) { return hs::compile(twice)(x, x); }
