// expect: hasten: groups have no arithmetic
#include <hasten/hasten.hpp>

namespace hs = hasten;

using A = hs::Acc<hs::Vector<std::tuple<float, int32_t>>>;

auto f(A a, A b) { return a * b; }
