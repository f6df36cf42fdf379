// The example programs, compared with plain C++, on every target.
#include "../../../examples/programs/equalize.hpp"
#include "../../../examples/programs/fluid.hpp"
#include "../../../examples/programs/radix_sort.hpp"
#include "../../../examples/programs/shortest_paths.hpp"
#include "../../../examples/programs/sieve.hpp"
#include "../../../examples/programs/sparse.hpp"
#include "tests/programs/examples/support.hpp"

#include <algorithm>
#include <limits>
#include <random>

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

class Examples : public hasten_test::ExampleTest {};

using hasten_test::matrix_of;

TEST_P(Examples, Primes) {
  const auto primes = compile(programs::primes_below);
  EXPECT_EQ(primes(30).to_vector(),
            (std::vector<std::int64_t>{2, 3, 5, 7, 11, 13, 17, 19, 23, 29}));
  EXPECT_EQ(primes(3).to_vector(), std::vector<std::int64_t>{2});
  EXPECT_EQ(primes(2).size(), 0);
  EXPECT_EQ(primes(-5).size(), 0);
  EXPECT_EQ(primes(2000).size(), 303);
}

TEST_P(Examples, Equalize) {
  const auto equalize = compile(programs::equalize);
  const auto grey = matrix_of<std::uint8_t>(
      13, 17, [](auto i, auto j) { return static_cast<std::uint8_t>(100 + (i * j) % 23); });
  const auto result = equalize(grey);
  std::vector<std::int64_t> below(256);
  for (const std::uint8_t x : grey.span()) ++below[x];
  for (std::size_t i = 1; i < 256; ++i) below[i] += below[i - 1];
  const auto first = below[*std::min_element(grey.span().begin(), grey.span().end())];
  for (std::int64_t i = 0; i < 13; ++i)
    for (std::int64_t j = 0; j < 17; ++j) {
      const float share =
          static_cast<float>(below[grey(i, j)] - first) / static_cast<float>(grey.size() - first);
      EXPECT_NEAR(result(i, j), std::round(255.0F * share), 1);
    }
}

// A positive definite matrix: a chain of springs, each held weakly in its place; entries in random
// order.
std::vector<programs::Entry> springs(std::int64_t n) {
  std::vector<programs::Entry> entries;
  for (std::int64_t i = 0; i < n; ++i) {
    entries.push_back({i, i, 2.1});
    if (i > 0) entries.push_back({i, i - 1, -1.0});
    if (i + 1 < n) entries.push_back({i, i + 1, -1.0});
  }
  std::shuffle(entries.begin(), entries.end(), std::mt19937(1));
  return entries;
}

TEST_P(Examples, SparseMatrixTimesVector) {
  const auto multiply = compile(
      [](Exp<std::int64_t> rows, Acc<Vector<programs::Entry>> entries, Acc<Vector<double>> x) {
        return programs::smvm(programs::compressed(rows, entries), x);
      });
  // A rectangular matrix with empty rows.
  const Vector<programs::Entry> entries{{4, 0, 2}, {0, 2, 5}, {4, 1, 3}, {2, 2, -1}};
  EXPECT_EQ(multiply(6, entries, {1, 10, 100}).to_vector(),
            (std::vector<double>{500, 0, -100, 0, 32, 0}));
  EXPECT_EQ(multiply(3, {}, {1}).to_vector(), (std::vector<double>{0, 0, 0}));
}

TEST_P(Examples, ConjugateGradient) {
  constexpr std::int64_t n = 50;
  const auto solve = compile([](Acc<Vector<programs::Entry>> entries, Acc<Vector<double>> b) {
    return programs::conjugate_gradient(programs::compressed(hs::size(b), entries), b,
                                        Exp<double>(1e-10), Exp<std::int32_t>(200));
  });
  const auto entries = springs(n);
  std::vector<double> b(n, 1.0);
  const auto [x, steps] = solve(hasten_test::vector_of(entries), hasten_test::vector_of(b));
  EXPECT_LT(steps.item(), 100);
  std::vector<double> image(n);
  for (const auto& e : entries) image[static_cast<std::size_t>(e.row)] += e.value * x(e.column);
  for (const double y : image) EXPECT_NEAR(y, 1.0, 1e-8);
}

TEST_P(Examples, ShortestPaths) {
  constexpr float none = std::numeric_limits<float>::infinity();
  constexpr std::int64_t n = 9;
  const auto edges = matrix_of<float>(n, n, [&](auto i, auto j) {
    if (i == j) return 0.0F;
    return (i * 7 + j * 3) % 4 == 0 ? static_cast<float>(1 + (i * j) % 5) : none;
  });
  auto expected = edges.to_vector();
  const auto at = [](std::int64_t i, std::int64_t j) {
    return static_cast<std::size_t>(i * n + j);
  };
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        expected[at(i, j)] = std::min(expected[at(i, j)], expected[at(i, k)] + expected[at(k, j)]);
  EXPECT_EQ(compile(programs::shortest_paths)(edges).to_vector(), expected);
}

TEST_P(Examples, RadixSort) {
  std::mt19937 random(7);
  std::vector<std::uint32_t> keys(1000);
  for (auto& key : keys) key = static_cast<std::uint32_t>(random());
  const auto sorted = compile(programs::radix_sort)(hasten_test::vector_of(keys)).to_vector();
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(sorted, keys);
}

TEST_P(Examples, FluidKeepsItsSmokeInAStillBox) {
  const auto step = compile(programs::fluid_step);
  programs::Fluid<hs::Host> fluid{
      matrix_of<float>(8, 8, [](auto i, auto j) { return i == 4 && j == 4 ? 8.0F : 0.0F; }),
      matrix_of<programs::Velocity>(8, 8, [](auto, auto) { return programs::Velocity{0, 0}; })};
  for (int i = 0; i < 3; ++i) fluid = step(0.1F, 0.0F, 0.5F, fluid);
  float smoke = 0;
  for (const float x : fluid.density.span()) smoke += x;
  EXPECT_NEAR(smoke, 8, 0.05);
  EXPECT_LT(fluid.density(4, 4), 8);
  EXPECT_FLOAT_EQ(fluid.density(4, 3), fluid.density(3, 4));
}

TEST_P(Examples, FluidCarriesItsSmoke) {
  // A uniform wind of one cell per step moves the smoke by one cell, away from the walls.
  const auto step = compile(programs::fluid_step);
  programs::Fluid<hs::Host> fluid{
      matrix_of<float>(9, 9, [](auto i, auto j) { return i == 4 && j == 3 ? 1.0F : 0.0F; }),
      matrix_of<programs::Velocity>(9, 9, [](auto, auto) { return programs::Velocity{0, 1}; })};
  fluid = step(1.0F, 0.0F, 0.0F, fluid);
  EXPECT_NEAR(fluid.density(4, 4), 1, 1e-3);
  EXPECT_NEAR(fluid.density(4, 3), 0, 1e-3);
}

HASTEN_ON_EVERY_DEVICE(Examples);

}  // namespace
