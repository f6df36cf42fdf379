// The examples of the demonstration on small inputs, compared with plain C++, on every target.
#include "../../../examples/programs/black_scholes.hpp"
#include "../../../examples/programs/c_library.hpp"
#include "../../../examples/programs/dotp.hpp"
#include "../../../examples/programs/mandelbrot.hpp"
#include "../../../examples/programs/matmul.hpp"
#include "../../../examples/programs/nbody.hpp"
#include "tests/programs/examples/support.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

using hs::Matrix, hs::Vector;

namespace {

class NumberExamples : public hasten_test::ExampleTest {};

// Numbers in [-1, 1) without a pattern.
float wave(std::int64_t i) { return static_cast<float>((i * 7919 + 17) % 1009) / 504.5F - 1.0F; }

Vector<float> waves(std::int64_t n, std::int64_t start) {
  return Vector<float>::from_function(n, [=](hs::Ix<1> i) { return wave(start + i[0]); });
}

TEST_P(NumberExamples, DotProduct) {
  const auto dot = compile(programs::dotp);
  for (const std::int64_t n : {0, 1, 100, 20011}) {
    const auto xs = waves(n, 0), ys = waves(n, 5000);
    double expected = 0;
    for (std::int64_t i = 0; i < n; ++i) expected += double{xs(i)} * double{ys(i)};
    EXPECT_NEAR(dot(xs, ys).item(), expected, 1e-5 * static_cast<double>(n)) << n;
  }
}

TEST_P(NumberExamples, Saxpy) {
  const auto saxpy = compile(programs::saxpy);
  const auto xs = waves(1000, 0), ys = waves(999, 5000);
  const auto result = saxpy(2.5F, xs, ys);
  ASSERT_EQ(result.size(), 999);
  for (std::int64_t i = 0; i < 999; ++i) EXPECT_EQ(result(i), 2.5F * xs(i) + ys(i));
}

TEST_P(NumberExamples, BlackScholes) {
  const auto options = Vector<programs::Option>::from_function(1000, [](hs::Ix<1> i) {
    return programs::Option{20 + 10 * wave(i[0]), 20 + 10 * wave(i[0] + 300), 2 + wave(i[0] + 600)};
  });
  const auto quotes = compile(programs::black_scholes)(options);
  const auto cumulative = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
  for (std::int64_t i = 0; i < options.size(); ++i) {
    const programs::Option o = options(i);
    const double rate = double{programs::riskless_rate}, volatility = double{programs::volatility};
    const double price = double{o.price}, strike = double{o.strike}, years = double{o.years};
    const double deviation = volatility * std::sqrt(years);
    const double d1 =
        (std::log(price / strike) + (rate + volatility * volatility / 2) * years) / deviation;
    const double n1 = cumulative(d1), n2 = cumulative(d1 - deviation);
    const double discounted = strike * std::exp(-rate * years);
    EXPECT_NEAR(quotes(i).call, price * n1 - discounted * n2, 1e-4) << i;
    EXPECT_NEAR(quotes(i).put, discounted * (1 - n2) - price * (1 - n1), 1e-4) << i;
  }
}

TEST_P(NumberExamples, Mandelbrot) {
  // Each step is correctly rounded, so that points on the border are the same everywhere.
  constexpr std::int64_t width = 37, height = 21;
  constexpr std::int32_t limit = 50;
  const programs::View view{-2.0F, -1.2F, 3.0F, 2.4F};
  const auto steps = compile(programs::mandelbrot)(hs::ix(height, width), view, limit);
  for (std::int64_t row = 0; row < height; ++row)
    for (std::int64_t column = 0; column < width; ++column) {
      const float dx = view.width / static_cast<float>(width);
      const float dy = view.height / static_cast<float>(height);
      const volatile float left = static_cast<float>(column) * dx;  // no fused product
      const volatile float top = static_cast<float>(row) * dy;
      const float real = view.left + left, imaginary = view.top + top;
      float r = real, i = imaginary;
      std::int32_t n = 0;
      for (; n < limit; ++n) {
        const volatile float r2 = r * r, i2 = i * i, ri = 2.0F * r * i;
        if (!(r2 + i2 < 4.0F)) break;
        r = r2 - i2 + real;
        i = ri + imaginary;
      }
      EXPECT_EQ(steps(row, column), n) << row << ", " << column;
    }
  const auto picture = compile(programs::coloured)(steps, limit);
  EXPECT_EQ(picture.shape(), steps.shape());
  const programs::Pixel inside = picture(height / 2, width / 2);
  EXPECT_EQ(inside.red + inside.green + inside.blue, 0);
}

TEST_P(NumberExamples, MatrixProduct) {
  const auto product = compile(programs::matmul);
  for (const auto& [rows, inner, columns] :
       {std::array<std::int64_t, 3>{7, 30, 9}, {1, 1, 1}, {33, 100, 17}, {3, 0, 2}}) {
    const auto a = Matrix<float>::from_function(
        {rows, inner}, [k = inner](hs::Ix<2> ix) { return wave(ix[0] * k + ix[1]); });
    const auto b = Matrix<float>::from_function(
        {inner, columns}, [k = columns](hs::Ix<2> ix) { return wave(300 + ix[0] * k + ix[1]); });
    const auto c = product(a, b);
    ASSERT_EQ(c.shape(), hs::ix(rows, columns));
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < inner; ++k) sum += double{a(i, k)} * double{b(k, j)};
        EXPECT_NEAR(c(i, j), sum, 1e-4) << i << ", " << j;
      }
  }
}

TEST_P(NumberExamples, NBody) {
  const auto bodies = Vector<programs::Body>::from_function(150, [](hs::Ix<1> i) {
    return programs::Body{{wave(i[0]), wave(i[0] + 200), wave(i[0] + 400)}, 2 + wave(i[0] + 600)};
  });
  const auto result = compile(programs::accelerations)(bodies);
  for (std::int64_t i = 0; i < bodies.size(); ++i) {
    double x = 0, y = 0, z = 0;
    for (std::int64_t j = 0; j < bodies.size(); ++j) {
      const programs::Vec3 a = bodies(i).position, b = bodies(j).position;
      const double dx = double{b.x} - double{a.x}, dy = double{b.y} - double{a.y},
                   dz = double{b.z} - double{a.z};
      const double pull =
          double{bodies(j).mass} / std::pow(dx * dx + dy * dy + dz * dz + 0.01, 1.5);
      x += pull * dx, y += pull * dy, z += pull * dz;
    }
    const double tolerance = 1e-4 * (1 + std::hypot(x, y, z));
    EXPECT_NEAR(result(i).x, x, tolerance);
    EXPECT_NEAR(result(i).y, y, tolerance);
    EXPECT_NEAR(result(i).z, z, tolerance);
  }
}

TEST_P(NumberExamples, FunctionsOfTheCLibrary) {
  const auto gammas = hs::compile<hs::Acc<Vector<double>>(hs::Acc<Vector<double>>)>(
      [](const auto& xs) { return hs::map(programs::gamma, xs); }, GetParam());
  const auto result = gammas(Vector<double>{0.5, 1, 4.5, 10});
  const double expected[] = {std::sqrt(3.14159265358979323846), 1, 11.631728396567448, 362880};
  for (std::int64_t i = 0; i < 4; ++i)
    EXPECT_NEAR(result(i) / expected[static_cast<std::size_t>(i)], 1, 1e-12);
  EXPECT_EQ(compile(programs::descending)(Vector<std::int32_t>{3, -1, 7, 3}).to_vector(),
            (std::vector<std::int32_t>{7, 3, 3, -1}));
}

HASTEN_ON_EVERY_DEVICE(NumberExamples);

}  // namespace
