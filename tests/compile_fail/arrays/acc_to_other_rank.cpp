// expect: hint::types_and_ranks_never_mix
#include <hasten/hasten.hpp>

namespace hs = hasten;

hs::Acc<hs::Vector<float>> f(hs::Acc<hs::Matrix<float>> x) { return x; }
