// The Mandelbrot set: how many steps each point of the plane takes to leave the circle of radius 2.
#pragma once

#include <hasten/hasten.hpp>
#include <tuple>

#include "pixel.hpp"

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Ix, hs::Matrix;

// A window of the complex plane, given by its upper left corner and its size.
struct View {
  float left, top, width, height;
};
HASTEN_STRUCT(View, left, top, width, height);

// The number of steps of a pixel.
inline auto steps_at(Exp<Ix<2>> size, Exp<View> view, Exp<int32_t> limit) {
  auto dx = view.width / hs::cast<float>(size[1]);
  auto dy = view.height / hs::cast<float>(size[0]);
  return [=](Exp<Ix<2>> ix) {
    auto real = view.left + hs::cast<float>(ix[1]) * dx;
    auto imaginary = view.top + hs::cast<float>(ix[0]) * dy;
    auto [r, i, steps] = hs::while_loop(
        [=](auto zr, auto zi, auto n) { return zr * zr + zi * zi < 4.0f && n < limit; },
        [=](auto zr, auto zi, auto n) {
          return std::tuple{zr * zr - zi * zi + real, 2.0f * zr * zi + imaginary, n + 1};
        },
        std::tuple{real, imaginary, int32_t{0}});
    return steps;
  };
}

// All three arguments are run-time scalars: other sizes and views need no new compilation.
inline Acc<Matrix<int32_t>> mandelbrot(Exp<Ix<2>> size, Exp<View> view, Exp<int32_t> limit) {
  return hs::generate(size, steps_at(size, view, limit));
}

// Black inside the set; outside, the square root of the steps selects a colour of a wheel.
inline Acc<Matrix<Pixel>> coloured(Acc<Matrix<int32_t>> steps, Exp<int32_t> limit) {
  return hs::map(
      [=](Exp<int32_t> n) {
        auto turn = 6.0f * hs::sqrt(hs::cast<float>(n) / hs::cast<float>(limit));
        auto shade = [=](float phase) {
          auto wave = 127.5f - 127.5f * hs::cos(turn + phase);
          return hs::select(n == limit, 0, hs::cast<uint8_t>(wave));
        };
        return Exp<Pixel>{shade(0.6f), shade(0.3f), shade(0.0f)};
      },
      steps);
}

}  // namespace programs
