// expect gcc: no such axis
// later clang: no such axis
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Matrix<float>> x) { return hs::scanl_on<2>(std::plus<>{}, 0.0f, x); }
