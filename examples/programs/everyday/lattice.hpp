// A fluid by the lattice-Boltzmann method: particles move to the eight neighbours or stay, and
// collide. (D2Q9 with the collision operator of Bhatnagar, Gross and Krook.)
#pragma once

#include <array>
#include <hasten/hasten.hpp>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix;

using Populations = std::array<float, 9>;  // how many particles move each way
constexpr int goes_down[9] = {0, 0, 0, 1, -1, 1, 1, -1, -1};
constexpr int goes_right[9] = {0, 1, -1, 0, 0, 1, -1, 1, -1};
constexpr float way_weight[9] = {4 / 9.0f,  1 / 9.0f,  1 / 9.0f,  1 / 9.0f, 1 / 9.0f,
                                 1 / 36.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f};

// The equilibrium populations of a fluid of this density and velocity.
inline std::array<Exp<float>, 9> at_rest(Exp<float> density, Exp<float> down, Exp<float> right) {
  std::array<Exp<float>, 9> all;
  auto energy = 1.5f * (down * down + right * right);
  for (int k = 0; k < 9; ++k) {
    auto along = 3.0f * (float(goes_down[k]) * down + float(goes_right[k]) * right);
    all[k] = way_weight[k] * density * (1.0f + along + 0.5f * along * along - energy);
  }
  return all;
}

// One step: all populations move on, across opposite borders, and relax in their cell (`rate` in
// 0..2).
inline Acc<Matrix<Populations>> lattice_step(Exp<float> rate, Acc<Matrix<Populations>> cells) {
  auto collide = [=](auto at) {
    std::array<Exp<float>, 9> come;
    Exp<float> density = 0.0f, down = 0.0f, right = 0.0f;
    for (int k = 0; k < 9; ++k) {
      come[k] = at(-goes_down[k], -goes_right[k])[k];
      density += come[k];
      down += float(goes_down[k]) * come[k];
      right += float(goes_right[k]) * come[k];
    }
    auto rest = at_rest(density, down / density, right / density);
    for (int k = 0; k < 9; ++k) come[k] += rate * (rest[k] - come[k]);
    return come;
  };
  return hs::stencil(collide, hs::boundary::wrap, cells);
}

}  // namespace programs
