// expect: indices must be integers
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> i, hs::Acc<hs::Vector<float>> a) { return hs::gather(i, a); }
