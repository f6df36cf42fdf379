// Heat in a plate: one side is kept hot, one cold, and the other two are insulated.
#pragma once

#include <hasten/hasten.hpp>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Ix, hs::Matrix;

// The plate after some steps; `rate` is the fraction of a difference that one step removes, at most
// 0.25.
inline Acc<Matrix<float>> heat(Exp<int64_t> steps, Exp<float> rate, Exp<float> hot, Exp<float> cold,
                               Acc<Matrix<float>> start) {
  auto n = hs::shape(start);
  auto step = [=](Acc<Matrix<float>> plate) {
    auto outside = [=](Exp<Ix<2>> ix) {  // above and below, as warm as the border itself
      auto row = hs::clamp(ix[0], 0, n[0] - 1);
      return hs::select(ix[1] < 0, hot, hs::select(ix[1] >= n[1], cold, plate(row, ix[1])));
    };
    return hs::stencil(
        [=](auto at) {
          return at(0, 0) + rate * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4.0f * at(0, 0));
        },
        hs::boundary::function(outside), plate);
  };
  return hs::aiterate(steps, step, start);
}

}  // namespace programs
