// Folds whose operator needs an order, beside sums and similar folds, in one kernel.
#include "tests/programs/fusion/launch_counts.hpp"

#include <complex>
#include <functional>

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

using Index = std::int64_t;
using hasten_test::some_matrix, hasten_test::some_vector;

class MixedFolds : public hasten_test::LaunchCounts {
 protected:
  // Sizes around the unrolling of sums and the tiles of rows.
  template <class T, class F>
  void expect_of_vectors(std::int64_t launches, F f) {
    std::vector<std::tuple<Vector<T>>> calls;
    for (const Index n : {1, 2, 7, 8, 9, 1000, 32768, 32769, 70'001})
      calls.emplace_back(some_vector<T>(n));
    expect(launches, f, calls);
  }
  template <class T, class F>
  void expect_of_matrices(std::int64_t launches, F f) {
    std::vector<std::tuple<Matrix<T>>> calls;
    for (const auto& [rows, columns] :
         {std::pair<Index, Index>{0, 4}, {1, 1}, {3, 70}, {2, 40'000}, {257, 40}})
      calls.emplace_back(some_matrix<T>(rows, columns));
    expect(launches, f, calls);
  }
};

const auto sum_and_place = [](auto x) { return std::tuple{hs::sum(x), hs::argmin(x)}; };

TEST_P(MixedFolds, ASumBesideAnArgument) {
  expect_of_vectors<float>(1, [](Acc<Vector<float>> x) { return sum_and_place(x); });
  expect_of_vectors<double>(1, [](Acc<Vector<double>> x) { return sum_and_place(x); });
  expect_of_vectors<std::int8_t>(1, [](Acc<Vector<std::int8_t>> x) { return sum_and_place(x); });
  expect_of_matrices<std::uint64_t>(1,
                                    [](Acc<Matrix<std::uint64_t>> x) { return sum_and_place(x); });
  expect_stored({}, [](Acc<Matrix<std::uint64_t>> x) { return sum_and_place(x); });
}

// A lane that keeps an order across rows would add up a whole row, however long.
TEST_P(MixedFolds, SumsOfRowsThatRoundStayInLanes) {
  expect_of_matrices<float>(2, [](Acc<Matrix<float>> x) { return sum_and_place(x); });
  expect_of_matrices<float>(
      1, [](Acc<Matrix<float>> x) { return std::tuple{hs::maximum(x), hs::argmin(x)}; });
}

TEST_P(MixedFolds, ManyFolds) {
  const auto program = [](auto x) {
    return std::tuple{hs::argmin(x), hs::maximum(x), hs::sum(x), hs::argmax(x), hs::product(x)};
  };
  expect_of_vectors<std::int32_t>(1, [=](Acc<Vector<std::int32_t>> x) { return program(x); });
  expect_of_matrices<std::int32_t>(1, [=](Acc<Matrix<std::int32_t>> x) { return program(x); });
}

TEST_P(MixedFolds, EpiloguesOfBoth) {
  expect_of_matrices<float>(1, [](Acc<Matrix<float>> x) {
    return hs::maximum(x) * 0.5f + hs::cast<float>(hs::argmax(x));
  });
}

// exp is computed in lanes and does not wait for the ordered fold.
TEST_P(MixedFolds, CostlyElementsStayInLanes) {
  const auto program = [](auto x) {
    return std::tuple{hs::sum(hs::exp(x) * 0.0f + x), hs::argmin(x)};
  };
  expect_of_vectors<float>(2, [=](Acc<Vector<float>> x) { return program(x); });
  expect_of_matrices<float>(2, [=](Acc<Matrix<float>> x) { return program(x); });
}

/// x -> a * x + b: associative under composition, not commutative.
using Affine = std::pair<std::uint32_t, std::uint32_t>;
const auto compose = [](const Exp<Affine>& f, const Exp<Affine>& g) {
  const auto [a, b] = f;
  const auto [c, d] = g;
  return std::pair{a * c, a * d + b};
};

// Without an identity, no part starts with the seed: the seed is combined before the first element.
TEST_P(MixedFolds, SeedsBesideNone) {
  const auto program = [](auto x) {
    const auto maps = hs::map([](auto e) { return std::pair{e * 2u + 1u, e}; }, x);
    return std::tuple{hs::fold(compose, Affine{3, 5}, maps), hs::fold1(compose, maps),
                      hs::fold(std::plus<>{}, 7u, x), hs::minimum(x)};
  };
  expect_of_vectors<std::uint32_t>(1, [=](Acc<Vector<std::uint32_t>> x) { return program(x); });
  expect_of_matrices<std::uint32_t>(1, [=](Acc<Matrix<std::uint32_t>> x) { return program(x); });
  const auto f = hs::compile([=](Acc<Matrix<std::uint32_t>> x) { return program(x); }, GetParam());
  EXPECT_THROW(f(some_matrix<std::uint32_t>(3, 0)), hs::ShapeError);
}

TEST_P(MixedFolds, SeedsOfEmptyRows) {
  const auto program = [](Acc<Matrix<std::uint32_t>> x) {
    const auto maps = hs::map([](auto e) { return std::pair{e * 2u + 1u, e}; }, x);
    return std::tuple{hs::fold(compose, Affine{3, 5}, maps), hs::fold(std::plus<>{}, 7u, x)};
  };
  std::vector<std::tuple<Matrix<std::uint32_t>>> calls;
  calls.emplace_back(some_matrix<std::uint32_t>(4, 0));
  calls.emplace_back(some_matrix<std::uint32_t>(4, 9));
  expect(1, program, calls);
}

// The largest sum of consecutive elements.
using Run = std::tuple<float, float, float, float>;  // sum, best start, best end, best run
const auto join = [](const Exp<Run>& x, const Exp<Run>& y) {
  const auto [sum, start, end, best] = x;
  const auto [sum_y, start_y, end_y, best_y] = y;
  return std::tuple{sum + sum_y, hs::max(start, sum + start_y), hs::max(end_y, end + sum_y),
                    hs::max(hs::max(best, best_y), end + start_y)};
};

TEST_P(MixedFolds, BesideTheLargestSumOfNeighbours) {
  const auto program = [](auto x) {
    const auto runs = hs::map(
        [](auto e) {
          const auto centred = e - 9.0f;
          return std::tuple{centred, centred, centred, centred};
        },
        x);
    return std::tuple{hs::map([](auto r) { return hs::get<3>(r); }, hs::fold1(join, runs)),
                      hs::minimum(x)};
  };
  expect_of_vectors<float>(1, [=](Acc<Vector<float>> x) { return program(x); });
  expect_of_matrices<float>(1, [=](Acc<Matrix<float>> x) { return program(x); });
}

TEST_P(MixedFolds, SumsOfComplexNumbers) {
  using Number = std::complex<float>;
  const auto program = [](auto x) {
    const auto numbers = hs::map([](auto e) { return Exp<Number>{e, e + 1.0f}; }, x);
    return std::tuple{hs::sum(numbers), hs::argmax(x)};
  };
  expect_of_vectors<float>(1, [=](Acc<Vector<float>> x) { return program(x); });
}

// About as accurate as in lanes of any vector width; added one by one, the sum is 3 % off.
TEST_P(MixedFolds, SumsOfLongRowsAreAccurate) {
  if (is_interpreted()) return;
  constexpr Index n = 3'000'000;
  const auto f = hs::compile([](Acc<Vector<float>> x) { return sum_and_place(x); }, GetParam());
  const auto g = hs::compile([](Acc<Matrix<float>> x) { return sum_and_place(x); }, GetParam());
  const std::vector<float> tenths(2 * n, 0.1f);
  const double expected = n * static_cast<double>(0.1f);
  const auto [sum, place] = f(Vector<float>(n, std::span(tenths).first(n)));
  EXPECT_NEAR(sum.item(), expected, 1e-4 * expected);
  EXPECT_EQ(place.item(), 0);
  const auto [sums, places] = g(Matrix<float>({2, n}, std::span<const float>(tenths)));
  for (Index i = 0; i < 2; ++i) EXPECT_NEAR(sums(i), expected, 1e-4 * expected);
}

HASTEN_ON_EVERY_DEVICE(MixedFolds);

}  // namespace
