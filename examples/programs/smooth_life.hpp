// SmoothLife: the game of life on a continuous field, with discs as neighbourhoods. (Rafler, 2011.)
#pragma once

#include "fft.hpp"

namespace programs {

// A cell is born if the filling of the ring around it is between the two births, and survives if it
// is between the two deaths. The edges of these intervals are soft.
struct LifeRule {
  float birth_low, birth_high, death_low, death_high;
  float ring_softness, disc_softness, time;
};
HASTEN_STRUCT(LifeRule, birth_low, birth_high, death_low, death_high, ring_softness, disc_softness,
              time);

namespace detail {

inline Exp<float> soft_step(Exp<float> x, Exp<float> edge, Exp<float> softness) {
  return 1.0f / (1.0f + hs::exp(-4.0f / softness * (x - edge)));
}

// A disc around (0, 0) of a periodic grid; its rim is one pixel wide.
inline Acc<Matrix<float>> disc(Exp<Ix<2>> size, Exp<float> radius) {
  auto from_origin = [](auto i, auto n) { return hs::cast<float>(hs::min(i, n - i)); };
  return hs::generate(size, [=](Exp<Ix<2>> ix) {
    auto distance = hs::hypot(from_origin(ix[0], size[0]), from_origin(ix[1], size[1]));
    return hs::clamp(radius + 0.5f - distance, 0.0f, 1.0f);
  });
}

}  // namespace detail

// The transform of both neighbourhoods, each of sum 1: the disc (a third of the radius) as the real
// part, the ring around it as the imaginary part. The extents must be powers of two.
inline Acc<Matrix<Complex>> neighbourhoods(Exp<Ix<2>> size, Exp<float> radius) {
  auto inner = detail::disc(size, radius / 3.0f);
  auto ring = detail::disc(size, radius) - inner;
  auto disc_sum = hs::the(hs::sum_all(inner)), ring_sum = hs::the(hs::sum_all(ring));
  auto weights = hs::zip_with(
      [=](auto d, auto r) { return Exp<Complex>{d / disc_sum, r / ring_sum}; }, inner, ring);
  return fft2(Exp<float>(-1), weights);
}

// One step. One product of transforms computes both convolutions, because the field is real.
inline Acc<Matrix<float>> smooth_life(Exp<LifeRule> rule, Acc<Matrix<Complex>> neighbourhoods,
                                      Acc<Matrix<float>> field) {
  auto cells = hs::map([](auto x) { return Exp<Complex>{x, Exp<float>(0)}; }, field);
  auto means = fft2(Exp<float>(1), fft2(Exp<float>(-1), cells) * neighbourhoods);
  auto size = hs::cast<float>(hs::size(field));
  return hs::zip_with(
      [=](Exp<float> x, Exp<Complex> mean) {
        auto disc = hs::real(mean) / size, ring = hs::imag(mean) / size;
        auto alive = detail::soft_step(disc, Exp<float>(0.5f), rule.disc_softness);
        auto between = [=](auto born, auto dead) { return born + alive * (dead - born); };
        auto low = between(rule.birth_low, rule.death_low);
        auto high = between(rule.birth_high, rule.death_high);
        auto next = detail::soft_step(ring, low, rule.ring_softness) *
                    (1.0f - detail::soft_step(ring, high, rule.ring_softness));
        return hs::clamp(x + rule.time * (2.0f * next - 1.0f), 0.0f, 1.0f);
      },
      field, means);
}

}  // namespace programs
