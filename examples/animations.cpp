// The animated programs of the gallery. Each step is one call of a compiled program.
#include <unistd.h>

#include <cstdio>
#include <random>

#include "animation.hpp"
#include "gallery.hpp"
#include "programs/fluid.hpp"
#include "programs/smooth_life.hpp"

namespace demo {
namespace {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix;
using programs::Pixel;

void show_progress(int done, int all) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, done < all ? "\rframe %d of %d" : "\r\033[K", done, all);
}

void finish(const Animation& animation, const std::string& out, int frames) {
  show_progress(frames, frames);
  animation.write(out);
  std::printf("%s: %d frames; browsers show animated PNGs\n", out.c_str(), frames);
}

struct Colour {
  float red, green, blue;
};

// Maps 0 to 1 to colours: from `dark` through `middle` to `light`.
Acc<Matrix<Pixel>> coloured(const Colour& dark, const Colour& middle, const Colour& light,
                            const Acc<Matrix<float>>& field) {
  return hs::map(
      [&](Exp<float> value) {
        const auto x = hs::clamp(value, 0.0f, 1.0f);
        const auto mixed = [&](float from, float by, float to) {
          const auto low = from + 2.0f * x * (by - from);
          const auto high = by + (2.0f * x - 1.0f) * (to - by);
          return hs::cast<std::uint8_t>(hs::round(hs::select(x < 0.5f, low, high)));
        };
        return Exp<Pixel>{mixed(dark.red, middle.red, light.red),
                          mixed(dark.green, middle.green, light.green),
                          mixed(dark.blue, middle.blue, light.blue)};
      },
      field);
}

// Every step adds smoke at the bottom of the box, and wind.
Acc<Matrix<float>> with_source(const Acc<Matrix<float>>& density) {
  const auto n = hs::shape(density);
  return hs::imap(
      [=](auto ix, auto smoke) {
        const auto near = hs::abs(ix[1] - n[1] / 2) < n[1] / 16 && ix[0] > n[0] - n[0] / 12;
        return hs::select(near, 1.0f, smoke);
      },
      density);
}
Acc<Matrix<programs::Velocity>> with_wind(const Exp<float>& time, const Acc<Matrix<float>>& density,
                                          const Acc<Matrix<programs::Velocity>>& velocity) {
  return hs::zip_with(
      [=](Exp<programs::Velocity> v, Exp<float> smoke) {  // hot smoke rises
        return Exp<programs::Velocity>{v.down - 5.0f * time * smoke, v.right};
      },
      velocity, density);
}

programs::Fluid<Acc> frame(Exp<float> time, programs::Fluid<Acc> fluid) {
  const auto density = with_source(fluid.density);
  return programs::fluid_step(time, Exp<float>(3), Exp<float>(0.05f),
                              {density, with_wind(time, density, fluid.velocity)});
}

Acc<Matrix<Pixel>> smoke_picture(Acc<Matrix<float>> density) {
  return coloured({8, 10, 24}, {190, 90, 50}, {255, 244, 214}, density);
}

// A rule and a radius that produce gliders; the time step is small.
constexpr programs::LifeRule life_rule{0.254F, 0.312F, 0.340F, 0.518F, 0.028F, 0.147F, 0.1F};
constexpr float life_radius = 12;

Acc<Matrix<Pixel>> life_picture(Acc<Matrix<float>> field) {
  return coloured({6, 12, 30}, {20, 140, 150}, {240, 255, 220}, field);
}

// Filled squares as wide as the neighbourhood, at random positions.
Matrix<float> random_spots(std::int64_t size) {
  std::mt19937 random(7);
  const auto width = static_cast<std::int64_t>(life_radius);
  std::vector<float> cells(static_cast<std::size_t>(size * size), 0.0F);
  for (std::int64_t spot = size * size / (6 * width * width); spot-- > 0;) {
    const auto top = static_cast<std::int64_t>(random()) % size;
    const auto left = static_cast<std::int64_t>(random()) % size;
    for (std::int64_t i = 0; i < width * width; ++i) {
      const auto row = (top + i / width) % size, column = (left + i % width) % size;
      cells[static_cast<std::size_t>(row * size + column)] = 1.0F;
    }
  }
  return Matrix<float>({size, size}, cells);
}

}  // namespace

void animate_fluid(const std::string& out, const AnimationSize& size) {
  const auto step = hs::compile(frame);
  const auto picture = hs::compile(smoke_picture);
  const hs::Ix<2> shape{size.pixels, size.pixels};
  programs::Fluid<hs::Host> fluid{
      Matrix<float>::from_function(shape, [](hs::Ix<2>) { return 0.0f; }),
      Matrix<programs::Velocity>::from_function(shape,
                                                [](hs::Ix<2>) { return programs::Velocity{}; })};
  Animation animation(40);
  for (int i = 0; i < size.frames; ++i) {
    show_progress(i, size.frames);
    fluid = step(0.2f, fluid);
    animation.add(picture(fluid.density));
  }
  finish(animation, out, size.frames);
}

void animate_life(const std::string& out, const AnimationSize& size) {
  constexpr int steps_per_frame = 2;
  const auto step = hs::compile(programs::smooth_life);
  const auto picture = hs::compile(life_picture);
  const auto neighbourhoods =
      hs::compile(programs::neighbourhoods)(hs::ix(size.pixels, size.pixels), life_radius);
  auto field = random_spots(size.pixels);
  Animation animation(40);
  for (int i = 0; i < size.frames; ++i) {
    show_progress(i, size.frames);
    animation.add(picture(field));
    for (int k = 0; k < steps_per_frame; ++k) field = step(life_rule, neighbourhoods, field);
  }
  finish(animation, out, size.frames);
}

}  // namespace demo
