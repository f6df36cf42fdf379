// expect: conver|cast
#include <hasten/hasten.hpp>

namespace hs = hasten;

hs::Exp<int32_t> f(hs::Exp<float> x) { return x; }
