// Stable fluids: a velocity field carries smoke, and no time step is unstable. (Stam, 1999 and
// 2003.)
#pragma once

#include <hasten/hasten.hpp>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix;

struct Velocity {
  float down, right;
};
HASTEN_STRUCT(Velocity, down, right);

template <template <class> class In>
struct Fluid {
  In<Matrix<float>> density;
  In<Matrix<Velocity>> velocity;
};
HASTEN_GROUP(Fluid, density, velocity);

namespace detail {

inline Exp<Velocity> operator+(Exp<Velocity> a, Exp<Velocity> b) {
  return Exp<Velocity>{a.down + b.down, a.right + b.right};
}
inline Exp<Velocity> operator*(Exp<float> s, Exp<Velocity> v) {
  return Exp<Velocity>{s * v.down, s * v.right};
}

// Implicit diffusion: rounds of Jacobi's method on (1 + 4 rate) new - rate neighbours = old.
template <class T>
Acc<Matrix<T>> diffuse(Exp<float> rate, int rounds, Acc<Matrix<T>> old) {
  Acc<Matrix<T>> field = old;
  auto scale = 1.0f / (1.0f + 4.0f * rate);
  for (int i = 0; i < rounds; ++i)
    field = hs::stencil2(
        [=](auto at, auto before) {
          return scale * (before(0, 0) + rate * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)));
        },
        hs::boundary::clamp, field, hs::boundary::clamp, old);
  return field;
}

// The field at a point between four elements, by linear interpolation.
template <class T>
Exp<T> sampled(const Acc<Matrix<T>>& field, Exp<float> row, Exp<float> column) {
  auto extent = hs::shape(field);
  auto inside = [](Exp<float> x, Exp<int64_t> n) {
    return hs::clamp(x, 0.0f, hs::cast<float>(n - 1));
  };
  auto y = inside(row, extent[0]), x = inside(column, extent[1]);
  auto top = hs::cast<int64_t>(y), left = hs::cast<int64_t>(x);
  auto bottom = hs::min(top + 1, extent[0] - 1), right = hs::min(left + 1, extent[1] - 1);
  auto v = y - hs::cast<float>(top), u = x - hs::cast<float>(left);
  auto mix = [](Exp<float> t, auto a, auto b) { return (1.0f - t) * a + t * b; };
  return mix(v, mix(u, field(top, left), field(top, right)),
             mix(u, field(bottom, left), field(bottom, right)));
}

// Moves the field along the velocity: each value comes from the point that the velocity leads back
// to.
template <class T>
Acc<Matrix<T>> advect(Exp<float> time, const Acc<Matrix<Velocity>>& velocity,
                      const Acc<Matrix<T>>& field) {
  return hs::imap(
      [=](auto ix, Exp<Velocity> v) {
        return sampled(field, hs::cast<float>(ix[0]) - time * v.down,
                       hs::cast<float>(ix[1]) - time * v.right);
      },
      velocity);
}

// Subtracts the part of the velocity that would compress the fluid.
inline Acc<Matrix<Velocity>> project(int rounds, Acc<Matrix<Velocity>> velocity) {
  auto divergence = hs::stencil(
      [](auto at) {
        return -0.5f * (at(1, 0).down - at(-1, 0).down + at(0, 1).right - at(0, -1).right);
      },
      hs::boundary::clamp, velocity);
  Acc<Matrix<float>> pressure = hs::fill(hs::shape(velocity), Exp<float>(0));
  for (int i = 0; i < rounds; ++i)
    pressure = hs::stencil2(
        [](auto at, auto div) {
          return 0.25f * (div(0, 0) + at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1));
        },
        hs::boundary::clamp, pressure, hs::boundary::clamp, divergence);
  return hs::stencil2(
      [](auto at, auto p) {
        return Exp<Velocity>{at(0, 0).down - 0.5f * (p(1, 0) - p(-1, 0)),
                             at(0, 0).right - 0.5f * (p(0, 1) - p(0, -1))};
      },
      hs::boundary::clamp, velocity, hs::boundary::clamp, pressure);
}

}  // namespace detail

// One step of length `time`; viscosity and diffusion are in cells squared per time.
inline Fluid<Acc> fluid_step(Exp<float> time, Exp<float> viscosity, Exp<float> diffusion,
                             Fluid<Acc> fluid) {
  constexpr int rounds = 20;
  auto moving = detail::project(rounds, detail::diffuse(time * viscosity, rounds, fluid.velocity));
  auto velocity = detail::project(rounds, detail::advect(time, moving, moving));
  auto density =
      detail::advect(time, velocity, detail::diffuse(time * diffusion, rounds, fluid.density));
  return {density, velocity};
}

}  // namespace programs
