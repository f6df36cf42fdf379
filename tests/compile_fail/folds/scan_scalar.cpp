// expect gcc: (rank|axis)
// later clang: (rank|axis)
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Scalar<float>> x) { return hs::scanl(std::plus<>{}, 0.0f, x); }
