// expect: (rank|argument|ind(ex|ices))
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Matrix<float>> x, hs::Exp<int64_t> i) { return x(i); }
