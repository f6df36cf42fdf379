// expect: cast<float>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<int>> x) { return hs::softmax(x); }
