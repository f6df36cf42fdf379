// The examples that turn pictures into pictures, and SmoothLife, compared with plain C++, on every
// target.
#include "../../../examples/programs/blur.hpp"
#include "../../../examples/programs/edges.hpp"
#include "../../../examples/programs/histogram.hpp"
#include "../../../examples/programs/smooth_life.hpp"
#include "tests/programs/examples/support.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

using hs::Acc, hs::Exp, hs::Matrix;
using programs::Pixel;

namespace {

class PictureExamples : public hasten_test::ExampleTest {};

Pixel some_pixel(std::int64_t i, std::int64_t j) {
  return {static_cast<std::uint8_t>(i * 37 % 256), static_cast<std::uint8_t>(j * 91 % 256),
          static_cast<std::uint8_t>(i * j % 256)};
}

Matrix<Pixel> some_picture(std::int64_t rows, std::int64_t columns) {
  return Matrix<Pixel>::from_function({rows, columns},
                                      [](hs::Ix<2> ix) { return some_pixel(ix[0], ix[1]); });
}

// A plain array of doubles that repeats its border.
struct Plain {
  std::int64_t rows, columns;
  std::vector<double> values;
  [[nodiscard]] double at(std::int64_t i, std::int64_t j) const {
    i = std::clamp<std::int64_t>(i, 0, rows - 1);
    j = std::clamp<std::int64_t>(j, 0, columns - 1);
    return values[static_cast<std::size_t>(i * columns + j)];
  }
};

template <class F>
Plain plain(std::int64_t rows, std::int64_t columns, F f) {
  Plain result{rows, columns, {}};
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) result.values.push_back(f(i, j));
  return result;
}

TEST_P(PictureExamples, Blur) {
  constexpr double weights[] = {1, 4, 6, 4, 1};
  const auto blur = compile(programs::blur);
  for (const auto& [rows, columns] : {std::pair{13, 17}, {1, 1}, {2, 40}}) {
    const auto photo = some_picture(rows, columns);
    EXPECT_EQ(blur(0, photo), photo);
    Plain green = plain(rows, columns, [](auto i, auto j) { return some_pixel(i, j).green; });
    for (int round = 0; round < 2; ++round)
      green = plain(rows, columns, [&](auto i, auto j) {
        double sum = 0;
        for (int di = -2; di <= 2; ++di)
          for (int dj = -2; dj <= 2; ++dj)
            sum += weights[di + 2] * weights[dj + 2] * green.at(i + di, j + dj) / 256;
        return sum;
      });
    const auto result = blur(2, photo);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        EXPECT_NEAR(result(i, j).green, green.at(i, j), 0.51);
  }
}

TEST_P(PictureExamples, Sobel) {
  const auto edges = compile(programs::edges);
  for (const auto& [rows, columns] : {std::pair{19, 23}, {1, 1}, {1, 9}}) {
    const auto grey = plain(rows, columns, [](auto i, auto j) {
      const Pixel p = some_pixel(i, j);
      return 0.299 * p.red + 0.587 * p.green + 0.114 * p.blue;
    });
    const auto result = edges(some_picture(rows, columns));
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        double down = 0, right = 0;
        for (int d = -1; d <= 1; ++d) {
          const double weight = d == 0 ? 2 : 1;
          right += weight * (grey.at(i + d, j + 1) - grey.at(i + d, j - 1));
          down += weight * (grey.at(i + 1, j + d) - grey.at(i - 1, j + d));
        }
        EXPECT_NEAR(result(i, j), std::min(255.0, std::hypot(right, down)), 0.51);
      }
  }
}

TEST_P(PictureExamples, HistogramAndItsBars) {
  const auto grey = Matrix<std::uint8_t>::from_function(
      {31, 17}, [](hs::Ix<2> ix) { return some_pixel(ix[0], ix[1]).blue; });
  std::vector<std::int64_t> expected(256);
  for (const std::uint8_t x : grey.span()) ++expected[x];
  const auto counts = compile(programs::brightness_counts)(grey);
  EXPECT_EQ(counts.to_vector(), expected);

  const auto bars = compile(programs::bars)(3, 2, hs::Vector<std::int64_t>{0, 1, 4, 6});
  const std::uint8_t o = 24, x = 230;
  EXPECT_EQ(bars,
            (Matrix<std::uint8_t>{
                {o, o, o, o, o, o, x, x}, {o, o, o, o, x, x, x, x}, {o, o, x, x, x, x, x, x}}));
}

// Means over discs by the definition, in double.
double soft_step(double x, double edge, double softness) {
  return 1 / (1 + std::exp(-4 / softness * (x - edge)));
}
double disc_weight(std::int64_t i, std::int64_t j, std::int64_t n, double radius) {
  const auto distance = std::hypot(std::min(i, n - i), std::min(j, n - j));
  return std::clamp(radius + 0.5 - distance, 0.0, 1.0);
}

Plain life_step(const programs::LifeRule& rule, double radius, const Plain& field) {
  const std::int64_t n = field.rows;
  return plain(n, n, [&](std::int64_t row, std::int64_t column) {
    double disc = 0, disc_sum = 0, ring = 0, ring_sum = 0;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        const double inner = disc_weight(i, j, n, radius / 3);
        const double around = disc_weight(i, j, n, radius) - inner;
        const double x = field.at((row + i) % n, (column + j) % n);
        disc += inner * x, disc_sum += inner;
        ring += around * x, ring_sum += around;
      }
    const double alive = soft_step(disc / disc_sum, 0.5, rule.disc_softness);
    const double low = std::lerp(double{rule.birth_low}, double{rule.death_low}, alive);
    const double high = std::lerp(double{rule.birth_high}, double{rule.death_high}, alive);
    const double next = soft_step(ring / ring_sum, low, rule.ring_softness) *
                        (1 - soft_step(ring / ring_sum, high, rule.ring_softness));
    return std::clamp(field.at(row, column) + rule.time * (2 * next - 1), 0.0, 1.0);
  });
}

TEST_P(PictureExamples, SmoothLife) {
  constexpr std::int64_t n = 16;
  constexpr float radius = 6;
  const programs::LifeRule rule{0.278F, 0.365F, 0.267F, 0.445F, 0.1F, 0.147F, 0.2F};
  auto field = Matrix<float>::from_function({n, n}, [](hs::Ix<2> ix) {
    return ix[0] > 3 && ix[0] < 10 && ix[1] > 5 && ix[1] < 12 + ix[0] % 3 ? 1.0F : 0.1F;
  });
  Plain expected = plain(n, n, [&](auto i, auto j) { return field(i, j); });
  const auto around = compile(programs::neighbourhoods)(hs::ix(n, n), radius);
  const auto step = compile(programs::smooth_life);
  for (int i = 0; i < 3; ++i) {
    field = step(rule, around, field);
    expected = life_step(rule, radius, expected);
  }
  double change = 0;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      EXPECT_NEAR(field(i, j), expected.at(i, j), 1e-3);
      change += std::abs(expected.at(i, j) - 0.1);
    }
  EXPECT_GT(change, 1);
}

HASTEN_ON_EVERY_DEVICE(PictureExamples);

}  // namespace
