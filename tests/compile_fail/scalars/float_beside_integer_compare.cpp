// expect: cast
#include <hasten/hasten.hpp>

namespace hs = hasten;

hs::Exp<bool> f(hs::Exp<int64_t> x) { return x < 0.5f; }
