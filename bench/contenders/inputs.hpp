// Inputs for the programs: the same numbers on every machine, filled in parallel.
#pragma once

#include "buffer.hpp"
#include "forms.hpp"

namespace contenders {

// Uniform in [low, high); `stream` distinguishes the columns of one program.
Buffer<float> random_floats(int64_t n, float low, float high, uint32_t stream);

struct Options {
  Buffer<float> price, strike, years;
  OptionColumns columns() const { return {price.data(), strike.data(), years.data()}; }
};
struct Prices {
  Buffer<float> call, put;
  PriceColumns columns() const { return {call.data(), put.data()}; }
};
struct Bodies {
  Buffer<float> x, y, z, mass;
  BodyColumns columns() const { return {x.data(), y.data(), z.data(), mass.data()}; }
};
struct Accelerations {
  Buffer<float> x, y, z;
  AccelerationColumns columns() const { return {x.data(), y.data(), z.data()}; }
};

Options random_options(int64_t n);
Bodies random_bodies(int64_t n);
// Smooth shapes with edges in every direction; grey values from 0 to 1.
Buffer<float> test_image(int64_t width, int64_t height);

// The whole set with a margin.
constexpr Window whole_set{-2.25f, -0.84375f, 3.0f, 1.6875f};

}  // namespace contenders
