// expect: ranks never broadcast|different ranks
#include <hasten/hasten.hpp>

namespace hs = hasten;

auto f(hs::Acc<hs::Matrix<float>> x, hs::Acc<hs::Vector<float>> y) { return x + y; }
