// expect: must have the optional
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Exp<std::optional<int32_t>> o, hs::Exp<float> x) { return hs::value_or(o, x); }
