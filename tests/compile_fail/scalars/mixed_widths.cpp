// expect: never mix silently: say which type you mean with cast
#include <hasten/hasten.hpp>

namespace hs = hasten;

hs::Exp<int64_t> f(hs::Exp<int64_t> x, hs::Exp<int32_t> n) { return x + n; }
