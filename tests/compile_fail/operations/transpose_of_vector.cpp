// expect: (rank|axes|dimension)
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<float>> x) { return hs::transpose(x); }
