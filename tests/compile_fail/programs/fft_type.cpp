// later: take rfft
#include <hasten/libraries/fft.hpp>

namespace hs = hasten;

auto g(hs::Acc<hs::Vector<float>> a) { return hs::fft(a); }
