// How often each brightness occurs in a picture, and a bar chart of these counts.
#pragma once

#include <hasten/hasten.hpp>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Vector;

inline Acc<Vector<int64_t>> brightness_counts(Acc<Matrix<uint8_t>> grey) {
  return hs::histogram(256, [](auto x) { return x; }, grey);
}

// Bars as high as their counts, each `width` pixels wide, bright on dark.
inline Acc<Matrix<uint8_t>> bars(Exp<int64_t> height, Exp<int64_t> width,
                                 Acc<Vector<int64_t>> counts) {
  auto most = hs::max(hs::the(hs::maximum(counts)), 1);
  return hs::generate(hs::ix(height, width * hs::size(counts)), [=](Exp<Ix<2>> ix) {
    auto filled = (counts[ix[1] / width] * height + most - 1) / most;
    return hs::select(height - ix[0] <= filled, Exp<uint8_t>(230), Exp<uint8_t>(24));
  });
}

}  // namespace programs
