// Edges of a photograph: grey values, then the magnitude of Sobel's stencil.
#pragma once

#include <hasten/hasten.hpp>

#include "pixel.hpp"

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix;

// Brightness from 0 to 1, with the weights of Rec. 601.
inline Exp<float> brightness(Exp<Pixel> p) {
  return (0.299f * hs::cast<float>(p.red) + 0.587f * hs::cast<float>(p.green) +
          0.114f * hs::cast<float>(p.blue)) /
         255.0f;
}

// How fast brightness changes at each point; beyond the border, the nearest point is used.
template <class A>
auto edges_of(const A& image) {
  return hs::stencil(
      [](auto at) {
        auto gx =
            (at(-1, 1) + 2.0f * at(0, 1) + at(1, 1)) - (at(-1, -1) + 2.0f * at(0, -1) + at(1, -1));
        auto gy =
            (at(1, -1) + 2.0f * at(1, 0) + at(1, 1)) - (at(-1, -1) + 2.0f * at(-1, 0) + at(-1, 1));
        return hs::sqrt(gx * gx + gy * gy);
      },
      hs::boundary::clamp, image);
}
inline Acc<Matrix<float>> sobel(Acc<Matrix<float>> image) { return edges_of(image); }

inline Acc<Matrix<uint8_t>> edges(Acc<Matrix<Pixel>> photo) {
  auto magnitude = sobel(hs::map(brightness, photo));
  // Conversions to integers saturate, so strong edges become white.
  return hs::map([](Exp<float> m) { return hs::cast<uint8_t>(hs::round(m * 255.0f)); }, magnitude);
}

}  // namespace programs
