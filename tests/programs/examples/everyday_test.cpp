// The everyday programs on numbers and grids, on small inputs, compared with plain C++, on every
// target.
#include "../../../examples/programs/everyday/barrier.hpp"
#include "../../../examples/programs/everyday/heat.hpp"
#include "../../../examples/programs/everyday/lattice.hpp"
#include "../../../examples/programs/everyday/network.hpp"
#include "../../../examples/programs/everyday/regression.hpp"
#include "tests/programs/examples/support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using hs::Matrix, hs::Vector;

namespace {

class EverydayExamples : public hasten_test::ExampleTest {};

using hasten_test::matrix_of;

// Numbers in [-1, 1) without a pattern.
double wave(std::int64_t i) { return static_cast<double>((i * 7919 + 17) % 1009) / 504.5 - 1.0; }

Matrix<float> waves(std::int64_t rows, std::int64_t columns, std::int64_t start) {
  return matrix_of<float>(rows, columns, [=](auto i, auto j) {
    return static_cast<float>(wave(start + i * columns + j));
  });
}

// The regression recovers the weights that the data was made with.
TEST_P(EverydayExamples, RegressionFindsTheWeights) {
  constexpr std::int64_t rows = 200, features = 3;
  const float weights[features] = {1.5F, -2.0F, 0.25F};
  const auto x = waves(rows, features, 0);
  const auto y = Vector<float>::from_function(rows, [&](hs::Ix<1> i) {
    float sum = 0;
    for (std::int64_t k = 0; k < features; ++k) sum += weights[k] * x(i[0], k);
    return sum;
  });
  const auto found = compile(programs::regression)(200, 1.0F, x, y);
  ASSERT_EQ(found.size(), features);
  for (std::int64_t k = 0; k < features; ++k) EXPECT_NEAR(found(k), weights[k], 1e-3) << k;
  EXPECT_EQ(compile(programs::regression)(0, 1.0F, x, y), (Vector<float>{0, 0, 0}));
}

// The network on the host, in double.
struct HostNetwork {
  std::int64_t inputs, hidden, classes;
  std::vector<double> first, first_bias, second, second_bias;

  explicit HostNetwork(const programs::Network<hs::Host>& net)
      : inputs(net.first.shape()[0]),
        hidden(net.first.shape()[1]),
        classes(net.second.shape()[1]),
        first(net.first.span().begin(), net.first.span().end()),
        first_bias(net.first_bias.span().begin(), net.first_bias.span().end()),
        second(net.second.span().begin(), net.second.span().end()),
        second_bias(net.second_bias.span().begin(), net.second_bias.span().end()) {}

  // The mean cross entropy, which training reduces.
  [[nodiscard]] double loss(const Matrix<float>& x, const Vector<std::int32_t>& labels) const {
    double total = 0;
    for (std::int64_t r = 0; r < x.shape()[0]; ++r) {
      std::vector<double> scores = second_bias;
      for (std::int64_t h = 0; h < hidden; ++h) {
        double sum = first_bias[static_cast<std::size_t>(h)];
        for (std::int64_t i = 0; i < inputs; ++i)
          sum += double{x(r, i)} * first[static_cast<std::size_t>(i * hidden + h)];
        for (std::int64_t c = 0; c < classes; ++c)
          scores[static_cast<std::size_t>(c)] +=
              std::max(sum, 0.0) * second[static_cast<std::size_t>(h * classes + c)];
      }
      double exponentials = 0;
      for (const double s : scores) exponentials += std::exp(s);
      total += std::log(exponentials) - scores[static_cast<std::size_t>(labels(r))];
    }
    return total / static_cast<double>(x.shape()[0]);
  }
};

// The derivative of the loss with respect to each of these numbers of the network, by finite
// differences.
template <class Loss>
void expect_gradient(const Loss& loss, std::vector<double>& numbers, std::span<const float> before,
                     std::span<const float> after, double rate, const char* what) {
  ASSERT_EQ(before.size(), after.size());
  constexpr double step = 1e-5;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double kept = numbers[i];
    numbers[i] = kept + step;
    const double above = loss();
    numbers[i] = kept - step;
    const double below = loss();
    numbers[i] = kept;
    EXPECT_NEAR((double{before[i]} - double{after[i]}) / rate, (above - below) / (2 * step), 2e-4)
        << what << " " << i;
  }
}

TEST_P(EverydayExamples, TrainingGoesAgainstTheGradient) {
  const programs::Network<hs::Host> net{
      waves(4, 5, 0), {0.1F, -0.2F, 0.3F, 0.05F, 0}, waves(5, 3, 100), {0.2F, 0, -0.1F}};
  const auto x = waves(7, 4, 300);
  const Vector<std::int32_t> labels{0, 2, 1, 1, 0, 2, 2};
  constexpr double rate = 0.5;
  const auto after = compile(programs::trained)(static_cast<float>(rate), net, x, labels);
  HostNetwork host(net);
  const auto loss = [&] { return host.loss(x, labels); };
  expect_gradient(loss, host.first, net.first.span(), after.first.span(), rate, "first");
  expect_gradient(loss, host.first_bias, net.first_bias.span(), after.first_bias.span(), rate,
                  "first bias");
  expect_gradient(loss, host.second, net.second.span(), after.second.span(), rate, "second");
  expect_gradient(loss, host.second_bias, net.second_bias.span(), after.second_bias.span(), rate,
                  "second bias");
  EXPECT_LT(HostNetwork(after).loss(x, labels), loss());
  const auto shares = compile(programs::probabilities)(net, x);
  double cross_entropy = 0;
  for (std::int64_t r = 0; r < 7; ++r) cross_entropy -= std::log(double{shares(r, labels(r))});
  EXPECT_NEAR(cross_entropy / 7, loss(), 1e-5);
}

// A wave of velocity across its own direction decays as the viscosity predicts.
TEST_P(EverydayExamples, LatticeShearWave) {
  constexpr std::int64_t rows = 24, columns = 5;
  constexpr double rate = 1.2, viscosity = (1 / rate - 0.5) / 3, speed = 0.01;
  constexpr double wave_number = 2 * 3.14159265358979323846 / rows;
  const auto step = compile(programs::lattice_step);
  auto cells = Matrix<programs::Populations>::from_function({rows, columns}, [](hs::Ix<2> ix) {
    const double right = speed * std::sin(wave_number * static_cast<double>(ix[0]));
    programs::Populations all{};
    for (std::size_t k = 0; k < 9; ++k) {
      const double along = 3 * programs::goes_right[k] * right;
      all[k] = static_cast<float>(double{programs::way_weight[k]} *
                                  (1 + along + along * along / 2 - 1.5 * right * right));
    }
    return all;
  });
  constexpr int steps = 40;
  for (int i = 0; i < steps; ++i) cells = step(static_cast<float>(rate), cells);
  const double left_over = std::exp(-viscosity * wave_number * wave_number * steps);
  double mass = 0;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      const programs::Populations all = cells(i, j);
      double right = 0;
      for (std::size_t k = 0; k < 9; ++k) {
        mass += double{all[k]};
        right += programs::goes_right[k] * double{all[k]};
      }
      EXPECT_NEAR(right, left_over * speed * std::sin(wave_number * static_cast<double>(i)),
                  0.02 * speed)
          << i << ", " << j;
    }
  EXPECT_NEAR(mass, rows * columns, 1e-3);
}

// Between a hot and a cold side, the temperature becomes linear, whatever it was before.
TEST_P(EverydayExamples, HeatComesToRest) {
  constexpr std::int64_t rows = 4, columns = 6;
  const auto plate = compile(programs::heat)(600, 0.25F, 10.0F, 3.0F, waves(rows, columns, 0));
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)  // the sides are half a step beyond the border
      EXPECT_NEAR(plate(i, j), 10 - 7 * static_cast<double>(j + 1) / (columns + 1), 1e-3);
}

TEST_P(EverydayExamples, HeatStepByStep) {
  constexpr std::int64_t rows = 7, columns = 5, steps = 3;
  const auto start = waves(rows, columns, 50);
  std::vector<double> now(start.span().begin(), start.span().end());
  const auto at = [&](std::int64_t i, std::int64_t j) {
    if (j < 0) return 1.0;
    if (j >= columns) return -0.5;
    return now[static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, rows - 1) * columns + j)];
  };
  for (std::int64_t k = 0; k < steps; ++k) {
    std::vector<double> next;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        next.push_back(at(i, j) + 0.2 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) -
                                         4 * at(i, j)));
    now = next;
  }
  const auto plate = compile(programs::heat)(steps, 0.2F, 1.0F, -0.5F, start);
  for (std::int64_t i = 0; i < rows * columns; ++i)
    EXPECT_NEAR(plate.span()[static_cast<std::size_t>(i)], now[static_cast<std::size_t>(i)], 1e-5);
}

// Broadie, Glasserman and Kou (1997): a barrier observed m times acts like a barrier moved away by
// exp(0.5826 volatility sqrt(years / m)), for which there is a formula (Reiner and Rubinstein).
double up_and_out_call(const programs::BarrierOption& o, double moments) {
  const double s = double{o.price}, x = double{o.strike}, t = double{o.years}, r = double{o.rate},
               v = double{o.volatility}, root = v * std::sqrt(t);
  const double h = double{o.barrier} * std::exp(0.5826 * v * std::sqrt(t / moments));
  const double mu = (r - v * v / 2) / (v * v);
  const auto n = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  const auto plain = [&](double z) { return s * n(z) - x * std::exp(-r * t) * n(z - root); };
  const auto mirrored = [&](double z) {
    return s * std::pow(h / s, 2 * (mu + 1)) * n(-z) -
           x * std::exp(-r * t) * std::pow(h / s, 2 * mu) * n(-z + root);
  };
  const double more = (1 + mu) * root;
  return plain(std::log(s / x) / root + more) - plain(std::log(s / h) / root + more) +
         mirrored(std::log(h * h / (s * x)) / root + more) -
         mirrored(std::log(h / s) / root + more);
}

TEST_P(EverydayExamples, BarrierOption) {
  const auto price = compile(programs::barrier_call);
  const programs::BarrierOption option{100, 100, 130, 1, 0.05F, 0.2F};
  const float found = price(20000, 13, 7, option);
  EXPECT_NEAR(found, up_and_out_call(option, 52), 0.15);  // three standard deviations
  EXPECT_EQ(price(20000, 13, 7, option), found);
  programs::BarrierOption other = option;
  other.barrier = 1e30F;  // Black and Scholes
  EXPECT_NEAR(price(20000, 13, 7, other), 10.4506, 0.35);
  other.barrier = 101;  // almost always lost at once
  EXPECT_LT(price(20000, 13, 7, other), 0.01);
}

HASTEN_ON_EVERY_DEVICE(EverydayExamples);

}  // namespace
