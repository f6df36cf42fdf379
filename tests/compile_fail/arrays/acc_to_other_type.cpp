// expect: hint::types_and_ranks_never_mix
#include <hasten/hasten.hpp>

namespace hs = hasten;

hs::Acc<hs::Vector<int32_t>> f(hs::Acc<hs::Vector<float>> x) { return x; }
