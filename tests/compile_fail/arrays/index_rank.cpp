// expect: (rank|argument|ind(ex|ices)|operator\[\])
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Matrix<float>> x) { return x[hs::ix(1)]; }
