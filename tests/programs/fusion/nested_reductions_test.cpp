// Folds inside the kernel that uses them: folds of a row before its elements, and folds of the
// elements of another fold.
#include "tests/programs/support.hpp"

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

using Index = std::int64_t;
using Cube = hs::Array<float, 3>;

class NestedReductions : public hasten_test::OnEveryDevice {
 protected:
  static bool is_interpreted() { return GetParam().target.name() == "interpreter"; }
};

template <class T>
Matrix<T> matrix(Index rows, Index columns, const std::function<T(Index, Index)>& f) {
  std::vector<T> values;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) values.push_back(f(i, j));
  return Matrix<T>({rows, columns}, std::span<const T>(values));
}

float wave(Index i, Index j) { return static_cast<float>((i * 37 + j * 101) % 211) / 23.0f - 4; }

template <class T>
auto along_rows(const Acc<Vector<T>>& of_rows, const Acc<Matrix<T>>& a) {
  return hs::replicate(hs::over(hs::keep, hs::shape(a)[1]), of_rows);
}

const auto soft_max = [](Acc<Matrix<float>> a) {
  const auto e =
      hs::zip_with([](auto x, auto m) { return hs::exp(x - m); }, a, along_rows(hs::maximum(a), a));
  return hs::zip_with(std::divides<>{}, e, along_rows(hs::sum(e), e));
};

const auto log_soft_max = [](Acc<Matrix<float>> a) {
  const auto centred = hs::zip_with(std::minus<>{}, a, along_rows(hs::maximum(a), a));
  const auto total = hs::sum(hs::map([](auto x) { return hs::exp(x); }, centred));
  const auto logs = hs::map([](auto x) { return hs::log(x); }, total);
  return hs::zip_with(std::minus<>{}, centred, along_rows(logs, a));
};

const auto layer_norm = [](Acc<Matrix<float>> a) {
  const auto n = hs::cast<float>(hs::shape(a)[1]);
  const auto mean = hs::map([=](auto x) { return x / n; }, hs::sum(a));
  const auto centred = hs::zip_with(std::minus<>{}, a, along_rows(mean, a));
  const auto variance = hs::map([=](auto x) { return hs::sqrt(x / n + 1e-5f); },
                                hs::sum(hs::map([](auto x) { return x * x; }, centred)));
  return hs::zip_with(std::divides<>{}, centred, along_rows(variance, a));
};

// The launches of one call.
template <class F, class... Args>
std::int64_t launches(F& f, const Args&... args) {
  const auto before = f.statistics().launches;
  f(args...);
  return f.statistics().launches - before;
}

/// Compares results on matrices of many sizes with the interpreter's, and the number of launches.
template <class F>
void agrees(const F& program, const hs::Options& options, float tolerance) {
  const std::pair<Index, Index> sizes[] = {{0, 5},   {1, 1},   {3, 7},    {2, 256},  {65, 17},
                                           {5, 257}, {300, 3}, {64, 100}, {7, 4099}, {70, 33000}};
  auto f = hs::compile(program, options);
  const hs::Options reference{.target = hs::interpreter()};
  for (const auto& [rows, columns] : sizes) {
    const bool is_slow = options.target.name() == "interpreter" || rows * columns > 100'000;
    if (is_slow && options.target.name() != "cpu") continue;
    const auto a = matrix<float>(rows, columns, wave);
    const auto expected = hs::run(program(hs::use(a)), reference);
    const auto result = f(a);
    ASSERT_EQ(result.shape(), expected.shape());
    float worst = 0;
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < columns; ++j)
        worst = std::max(worst,
                         std::abs(result(i, j) - expected(i, j)) / (1 + std::abs(expected(i, j))));
    EXPECT_LE(worst, tolerance) << rows << " x " << columns;
    if (rows > 0) {
      EXPECT_EQ(launches(f, a), 1) << rows << " x " << columns;
    }
  }
}

TEST_P(NestedReductions, SoftMaxOfRowsIsOneLaunch) {
  if (!is_interpreted()) agrees(soft_max, GetParam(), 2e-5f);
}

TEST_P(NestedReductions, LogSoftMaxOfRowsIsOneLaunch) {
  if (!is_interpreted()) agrees(log_soft_max, GetParam(), 2e-5f);
}

TEST_P(NestedReductions, LayerNormOfRowsIsOneLaunch) {
  if (!is_interpreted()) agrees(layer_norm, GetParam(), 2e-4f);
}

// Threads share long rows better than they share few rows.
TEST_P(NestedReductions, FewLongRowsAreFoldedApart) {
  if (is_interpreted()) return;
  auto f = hs::compile(soft_max, GetParam());
  const Index columns = 20'000;
  const auto a = matrix<float>(2, columns, wave);
  const auto result = f(a);
  EXPECT_EQ(launches(f, a), 3);
  for (Index i = 0; i < 2; ++i) {
    double sum = 0;
    for (Index j = 0; j < columns; ++j) sum += result(i, j);
    EXPECT_NEAR(sum, 1, 1e-4);
  }
}

TEST_P(NestedReductions, RowsOfACubeHaveTwoOuterAxes) {
  const auto program = [](Acc<Cube> a) {
    const auto of_rows = hs::replicate(hs::over(hs::keep, hs::keep, hs::shape(a)[2]), hs::sum(a));
    return hs::zip_with(std::minus<>{}, a, of_rows);
  };
  std::vector<float> values(3 * 5 * 37);
  std::iota(values.begin(), values.end(), 0.0f);
  const Cube a({3, 5, 37}, std::span<const float>(values));
  auto f = hs::compile(program, GetParam());
  const Cube result = f(a);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 5; ++j) {
      float sum = 0;
      for (Index k = 0; k < 37; ++k) sum += a(i, j, k);
      for (Index k = 0; k < 37; ++k) EXPECT_FLOAT_EQ(result(i, j, k), a(i, j, k) - sum);
    }
  if (!is_interpreted()) {
    EXPECT_EQ(launches(f, a), 1);
  }
}

// -- operators ------------------------------------------------------------------------------------

/// x -> a * x + b: associative under composition, not commutative.
using Affine = std::pair<std::uint32_t, std::uint32_t>;
Affine after(const Affine& f, const Affine& g) {
  return {f.first * g.first, f.first * g.second + f.second};
}
const auto compose = [](const Exp<Affine>& f, const Exp<Affine>& g) {
  const auto [a, b] = f;
  const auto [c, d] = g;
  return std::pair{a * c, a * d + b};
};

Matrix<Affine> affine_maps(Index rows, Index columns) {
  return matrix<Affine>(rows, columns, [](Index i, Index j) {
    return Affine{static_cast<std::uint32_t>(2 * i + 4 * j + 1),
                  static_cast<std::uint32_t>(7 * i + j)};
  });
}

TEST_P(NestedReductions, OrderIsKept) {
  const Affine seed{3, 5};
  for (const bool seeded : {true, false}) {
    const auto program = [=](Acc<Matrix<Affine>> a) {
      const auto all = seeded ? hs::fold(compose, seed, a) : hs::fold1(compose, a);
      return hs::zip_with(compose, a, hs::replicate(hs::over(hs::keep, hs::shape(a)[1]), all));
    };
    auto f = hs::compile(program, GetParam());
    for (const auto& [rows, columns] :
         {std::pair<Index, Index>{4, 1}, {3, 13}, {5, 255}, {2, 256}, {3, 1000}}) {
      const auto a = affine_maps(rows, columns);
      const auto result = f(a);
      for (Index i = 0; i < rows; ++i) {
        Affine all = seeded ? seed : a(i, 0);
        for (Index j = seeded ? 0 : 1; j < columns; ++j) all = after(all, a(i, j));
        for (Index j = 0; j < columns; ++j)
          EXPECT_EQ(Affine(result(i, j)), after(a(i, j), all)) << rows << " x " << columns;
      }
      if (!is_interpreted()) {
        EXPECT_EQ(launches(f, a), 1);
      }
    }
  }
}

TEST_P(NestedReductions, AnEmptyRowGivesTheSeed) {
  const auto program = [](Acc<Matrix<std::int32_t>> a, Acc<Matrix<std::int32_t>> b) {
    return hs::zip_with(
        std::plus<>{}, b,
        hs::replicate(hs::over(hs::keep, hs::shape(b)[1]), hs::fold(std::plus<>{}, 42, a)));
  };
  auto f = hs::compile(program, GetParam());
  const auto b = matrix<std::int32_t>(
      3, 4, [](Index i, Index j) { return static_cast<std::int32_t>(10 * i + j); });
  const auto result = f(matrix<std::int32_t>(3, 0, {}), b);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 4; ++j) EXPECT_EQ(result(i, j), 10 * i + j + 42);
}

TEST_P(NestedReductions, AnEmptyRowWithoutASeedIsAnError) {
  const auto program = [](Acc<Matrix<float>> a, Acc<Matrix<float>> b) {
    return hs::zip_with(std::plus<>{}, b,
                        hs::replicate(hs::over(hs::keep, hs::shape(b)[1]), hs::maximum(a)));
  };
  auto f = hs::compile(program, GetParam());
  EXPECT_THROW(f(matrix<float>(3, 0, {}), matrix<float>(3, 2, wave)), hs::ShapeError);
}

TEST_P(NestedReductions, NotANumberSpreadsOverItsRowOnly) {
  auto f = hs::compile(soft_max, GetParam());
  const auto a = matrix<float>(3, 40, [](Index i, Index j) {
    return i == 1 && j == 7 ? std::numeric_limits<float>::quiet_NaN() : wave(i, j);
  });
  const auto result = f(a);
  for (Index j = 0; j < 40; ++j) {
    EXPECT_FALSE(std::isnan(result(0, j)));
    EXPECT_TRUE(std::isnan(result(1, j)));
    EXPECT_FALSE(std::isnan(result(2, j)));
  }
}

TEST_P(NestedReductions, ComplexRows) {
  using Number = std::complex<float>;
  const auto program = [](Acc<Matrix<Number>> a) {
    return hs::zip_with(std::minus<>{}, a,
                        hs::replicate(hs::over(hs::keep, hs::shape(a)[1]), hs::sum(a)));
  };
  auto f = hs::compile(program, GetParam());
  const auto a = matrix<Number>(5, 33, [](Index i, Index j) {
    return Number(static_cast<float>(i + j), static_cast<float>(i * j));
  });
  const auto result = f(a);
  for (Index i = 0; i < 5; ++i) {
    Number sum = 0;
    for (Index j = 0; j < 33; ++j) sum += a(i, j);
    for (Index j = 0; j < 33; ++j) EXPECT_EQ(Number(result(i, j)), Number(a(i, j)) - sum);
  }
}

TEST_P(NestedReductions, ComputeIsObeyed) {
  if (is_interpreted()) return;
  const auto program = [](Acc<Matrix<float>> a) {
    return hs::zip_with(std::minus<>{}, a, along_rows(hs::compute(hs::sum(a)), a));
  };
  auto f = hs::compile(program, GetParam());
  EXPECT_EQ(launches(f, matrix<float>(8, 8, wave)), 2);
}

TEST_P(NestedReductions, WhatIsAResultTooReachesMemory) {
  if (is_interpreted()) return;
  const auto program = [](Acc<Matrix<float>> a) {
    const auto sums = hs::sum(a);
    return std::pair{hs::zip_with(std::minus<>{}, a, along_rows(sums, a)), sums};
  };
  auto f = hs::compile(program, GetParam());
  EXPECT_EQ(launches(f, matrix<float>(8, 8, wave)), 2);
}

TEST_P(NestedReductions, ChecksFindWhatFailsInAStage) {
  hs::Options options = GetParam();
  options.checks = hs::Checks::all;
  const auto program = [](Acc<Matrix<float>> a, Acc<Vector<float>> table) {
    const auto picked = hs::map([=](auto x) { return table[hs::cast<Index>(x)]; }, a);
    return hs::zip_with(std::minus<>{}, a, along_rows(hs::sum(picked), a));
  };
  auto f = hs::compile(program, options);
  const auto table = hasten_test::vector_of(hasten_test::numbers<float>(10));
  const auto inside = [](Index i, Index j) { return static_cast<float>((i + j) % 10); };
  EXPECT_EQ(f(matrix<float>(4, 10, inside), table)(0, 0), -45);
  const auto outside = [](Index i, Index j) { return static_cast<float>(i + j); };
  EXPECT_THROW(f(matrix<float>(4, 10, outside), table), hs::IndexError);
}

// -- folds of folds -------------------------------------------------------------------------------

const auto distances = [](Acc<Matrix<float>> points, Acc<Matrix<float>> centres) {
  const auto n = hs::shape(points)[0], m = hs::shape(centres)[0];
  const auto d = hs::zip_with([](auto x, auto y) { return (x - y) * (x - y); },
                              hs::replicate(hs::over(hs::keep, m, hs::keep), points),
                              hs::replicate(hs::over(n, hs::keep, hs::keep), centres));
  return hs::sum(d);
};

TEST_P(NestedReductions, NearestCentres) {
  const auto program = [](Acc<Matrix<float>> points, Acc<Matrix<float>> centres) {
    return hs::argmin(distances(points, centres));
  };
  auto f = hs::compile(program, GetParam());
  for (const auto& [n, m, d] : {std::tuple<Index, Index, Index>{1, 1, 1},
                                {5, 3, 2},
                                {17, 9, 4},
                                {300, 7, 3},
                                {3, 40, 64},
                                {70, 5, 64},
                                {130, 3, 17},
                                {2, 3, 65},
                                {4, 5, 0}}) {
    const auto points = matrix<float>(n, d, wave);
    const auto centres =
        matrix<float>(m, d, [](Index i, Index j) { return wave(3 * i + 1, 5 * j + 2); });
    const auto result = f(points, centres);
    for (Index i = 0; i < n; ++i) {
      std::vector<double> all;
      for (Index c = 0; c < m; ++c) {
        double sum = 0;
        for (Index k = 0; k < d; ++k)
          sum +=
              std::pow(static_cast<double>(points(i, k)) - static_cast<double>(centres(c, k)), 2);
        all.push_back(sum);
      }
      EXPECT_NEAR(all[static_cast<std::size_t>(result(i))],
                  *std::min_element(all.begin(), all.end()), 1e-3)
          << n << " points, " << m << " centres, " << d << " dimensions";
    }
    if (!is_interpreted()) {
      EXPECT_EQ(launches(f, points, centres), d <= 64 ? 1 : 2);
    }
  }
}

// Two rows of doubles per point are more than a lane keeps at once.
TEST_P(NestedReductions, NearestByWeightedDistances) {
  const auto program = [](Acc<Matrix<double>> points, Acc<Matrix<double>> weights,
                          Acc<Matrix<double>> centres) {
    const auto n = hs::shape(points)[0], m = hs::shape(centres)[0];
    const auto of_points = hs::over(hs::keep, m, hs::keep);
    const auto squares =
        hs::zip_with([](auto x, auto w, auto y) { return w * (x - y) * (x - y); },
                     hs::replicate(of_points, points), hs::replicate(of_points, weights),
                     hs::replicate(hs::over(n, hs::keep, hs::keep), centres));
    return hs::argmin(hs::sum(squares));
  };
  const auto whole = [](Index i, Index j) { return static_cast<double>((i * 37 + j * 101) % 23); };
  auto f = hs::compile(program, GetParam());
  const hs::Options reference{.target = hs::interpreter()};
  for (const auto& [n, m, d] :
       {std::tuple<Index, Index, Index>{70, 5, 64}, {9, 4, 33}, {65, 3, 3}}) {
    const auto points = matrix<double>(n, d, whole), centres = matrix<double>(m, d, whole);
    const auto weights = matrix<double>(n, d, [&](Index i, Index j) { return whole(j, i) + 1; });
    EXPECT_EQ(f(points, weights, centres),
              hs::run(program(hs::use(points), hs::use(weights), hs::use(centres)), reference));
  }
}

TEST_P(NestedReductions, AFoldOfAFoldIsOneLaunch) {
  const auto program = [](Acc<Matrix<float>> points, Acc<Matrix<float>> centres) {
    return hs::minimum(distances(points, centres));
  };
  auto f = hs::compile(program, GetParam());
  const auto points = matrix<float>(100, 5, wave), centres = matrix<float>(6, 5, wave);
  const auto result = f(points, centres);
  EXPECT_EQ(result(3), 0);
  if (!is_interpreted()) {
    EXPECT_EQ(launches(f, points, centres), 1);
  }
}

TEST_P(NestedReductions, SumsOfProductsInIntegers) {
  const auto program = [](Acc<Matrix<std::int32_t>> a) {
    const auto products = hs::fold(std::multiplies<>{}, 1, a);
    return hs::fold(std::plus<>{}, 0, products);
  };
  auto f = hs::compile(program, GetParam());
  for (const Index columns : {Index{0}, Index{1}, Index{5}, Index{64}, Index{65}}) {
    const auto a = matrix<std::int32_t>(
        9, columns, [](Index i, Index j) { return static_cast<std::int32_t>(1 + (i * j) % 3); });
    std::uint32_t expected = 0;
    for (Index i = 0; i < 9; ++i) {
      std::uint32_t product = 1;
      for (Index j = 0; j < columns; ++j) product *= static_cast<std::uint32_t>(a(i, j));
      expected += product;
    }
    EXPECT_EQ(static_cast<std::uint32_t>(f(a).item()), expected) << columns;
  }
}

HASTEN_ON_EVERY_DEVICE(NestedReductions);

}  // namespace
