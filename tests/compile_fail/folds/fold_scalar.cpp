// expect: (rank|axis|dimension)
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Scalar<float>> x) { return hs::fold(std::plus<>{}, 0.0f, x); }
