// expect gcc: (cast|seed)
// later clang: (cast|seed)
#include <functional>
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Vector<int32_t>> x) { return hs::fold(std::plus<>{}, 0.5, x); }
