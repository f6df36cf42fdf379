// Histogram equalisation: spreads the grey levels so that each is used about equally often.
#pragma once

#include <hasten/hasten.hpp>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix;

inline Acc<Matrix<uint8_t>> equalize(Acc<Matrix<uint8_t>> grey) {
  auto levels = hs::histogram(256, [](auto x) { return x; }, hs::flatten(grey));
  auto below = hs::scanl1(std::plus<>{}, levels);  // pixels up to and including each level
  auto darkest = hs::the(hs::minimum(hs::flatten(grey)));
  auto first = below[darkest], all = hs::size(grey);
  return hs::map(
      [=](auto x) {
        auto share = hs::cast<float>(below[x] - first) / hs::cast<float>(hs::max(all - first, 1));
        return hs::cast<uint8_t>(hs::round(255.0f * share));
      },
      grey);
}

}  // namespace programs
