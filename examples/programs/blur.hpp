// Blurs a picture: each colour channel with the weights 1 4 6 4 1, vertically and horizontally, for
// some rounds.
#pragma once

#include <hasten/hasten.hpp>

#include "pixel.hpp"

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix;

// One round for one channel; beyond the border, the nearest pixel is used.
inline Acc<Matrix<float>> blurred(Acc<Matrix<float>> image) {
  auto weighted = [](auto a, auto b, auto c, auto d, auto e) {
    return (a + e + 4.0f * (b + d) + 6.0f * c) / 16.0f;
  };
  auto across = hs::stencil(
      [=](auto at) { return weighted(at(0, -2), at(0, -1), at(0, 0), at(0, 1), at(0, 2)); },
      hs::boundary::clamp, image);
  return hs::stencil(
      [=](auto at) { return weighted(at(-2, 0), at(-1, 0), at(0, 0), at(1, 0), at(2, 0)); },
      hs::boundary::clamp, across);
}

inline Acc<Matrix<Pixel>> blur(Exp<int64_t> rounds, Acc<Matrix<Pixel>> photo) {
  auto soft = [=](auto colour_of) {
    auto colour = hs::map([=](Exp<Pixel> p) { return hs::cast<float>(colour_of(p)); }, photo);
    return hs::aiterate(rounds, blurred, colour);
  };
  auto level = [](auto x) { return hs::cast<uint8_t>(hs::round(x)); };
  return hs::zip_with([=](auto red, auto green,
                          auto blue) { return Exp<Pixel>{level(red), level(green), level(blue)}; },
                      soft([](auto p) { return p.red; }), soft([](auto p) { return p.green; }),
                      soft([](auto p) { return p.blue; }));
}

}  // namespace programs
