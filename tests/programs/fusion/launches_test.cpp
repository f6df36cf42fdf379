// The number of launches of one call, and the stored arrays, as fusion promises on every target;
// results are compared with the interpreter's.
#include "tests/programs/fusion/launch_counts.hpp"

#include <functional>
#include <tuple>

using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

using hasten_test::some_matrix, hasten_test::some_vector;

const auto larger = [](auto a, auto b) { return hs::max(a, b); };

class Launches : public hasten_test::LaunchCounts {};

TEST_P(Launches, AnEpilogueIsPartOfItsFold) {
  expect_on_vectors(1, [](Acc<Vector<float>> x) { return hs::sum(x * x) + 1.0f; });
  expect_on_matrices(1, [](Acc<Matrix<float>> x) { return hs::sqrt(hs::sum(x * x)); });
  expect_on_matrices(1, [](Acc<Matrix<float>> x) {
    const auto rows = hs::cast<float>(hs::shape(x)[1]);
    return hs::map([=](auto s) { return s * rows; }, hs::maximum(x));
  });
}

TEST_P(Launches, EpiloguesReadOtherArraysAndOtherFolds) {
  expect_on_matrices(
      1, [](Acc<Matrix<float>> x) { return hs::sum(x) - hs::maximum(x) * hs::minimum(x); });
  std::vector<std::tuple<Matrix<float>, Vector<float>>> calls;
  calls.emplace_back(some_matrix(60, 31), some_vector(60));
  expect(
      1,
      [](Acc<Matrix<float>> x, Acc<Vector<float>> bias) {
        return hs::max(hs::sum(x) + bias, 3.0f);
      },
      calls);
}

TEST_P(Launches, AnEpilogueMayNeedFewerRows) {
  std::vector<std::tuple<Matrix<float>, Vector<float>>> calls;
  for (const auto& [rows, columns, n] :
       {std::tuple{0, 3, 5}, {1, 1, 1}, {5, 3, 0}, {70, 40, 90}, {90, 33, 61}})
    calls.emplace_back(some_matrix(rows, columns), some_vector(n));
  const auto part = [](Acc<Matrix<float>> x, Acc<Vector<float>> y) {
    return hs::zip_with(std::plus<>{}, hs::sum(x), y);
  };
  expect(1, part, calls);
  expect_stored({}, part);
  // Two folds, and two maps that use them.
  expect(
      1,
      [](Acc<Matrix<float>> x, Acc<Vector<float>> y) {
        const auto sum = hs::sum(x), largest = hs::maximum(x * 0.0f + 2.0f);
        return std::tuple{
            hs::zip_with([](auto a, auto b, auto c) { return a * b + c; }, sum, largest, y),
            hs::zip_with(std::minus<>{}, sum, y)};
      },
      std::vector(calls.begin() + 1, calls.end()));
  // The whole fold is a result, too, or two maps need different parts of it.
  expect(
      2,
      [](Acc<Matrix<float>> x, Acc<Vector<float>> y) {
        const auto sum = hs::sum(x);
        return std::tuple{hs::zip_with(std::plus<>{}, sum, y), sum};
      },
      calls);
  expect(
      3,
      [](Acc<Matrix<float>> x, Acc<Vector<float>> y) {
        const auto sum = hs::sum(x);
        return std::tuple{hs::zip_with(std::plus<>{}, sum, y),
                          hs::zip_with(std::plus<>{}, sum, hs::drop(2, y))};
      },
      calls);
}

TEST_P(Launches, FoldsOfShortRowsAreStagesOfAFold) {
  expect_on_matrices(1, [](Acc<Matrix<float>> x) { return hs::sum(hs::sqrt(hs::sum(x)) * 0.0f); });
}

TEST_P(Launches, SumsOfProductsOverAllAxes) {
  std::vector<std::tuple<Matrix<float>, Matrix<float>>> calls;
  calls.emplace_back(some_matrix(37, 21), some_matrix(37, 21));
  expect(1, [](Acc<Matrix<float>> a, Acc<Matrix<float>> b) { return hs::sum_all(a * b); }, calls);
  using Cube = hs::Array<float, 3>;
  std::vector<std::tuple<Cube, Cube>> cubes;
  const auto cube = Cube::from_function(
      hs::ix(5, 6, 7), [](hs::Ix<3> ix) { return static_cast<float>(ix[0] + ix[1] * ix[2]); });
  cubes.emplace_back(cube, cube);
  expect(1, [](Acc<Cube> a, Acc<Cube> b) { return hs::sum_all(a * b); }, cubes);
}

TEST_P(Launches, FoldsOfOneArrayShareItsReading) {
  const auto four = [](Acc<Vector<float>> x) {
    return std::tuple{hs::sum(x), hs::minimum(x), hs::maximum(x),
                      hs::count([](auto e) { return e > 3.0f; }, x)};
  };
  expect_on_vectors(1, four);
  expect_on_matrices(1, [](Acc<Matrix<float>> x) {
    return std::tuple{hs::sum(x), hs::minimum(x), hs::sum(x * x)};
  });
}

TEST_P(Launches, SeedsAndIdentitiesGoTogether) {
  // Without elements, each result is its own seed.
  std::vector<std::tuple<Matrix<float>>> calls;
  calls.emplace_back(some_matrix(4, 0));
  calls.emplace_back(some_matrix(0, 4));
  calls.emplace_back(some_matrix(9, 4));
  expect(
      1,
      [](Acc<Matrix<float>> x) {
        return std::tuple{hs::fold(std::plus<>{}, 5.0f, x), hs::product(x),
                          hs::fold(std::plus<>{}, 7, hs::cast<int>(x))};
      },
      calls);
}

TEST_P(Launches, MapsOfOneArrayAreOneKernel) {
  expect_on_vectors(1, [](Acc<Vector<float>> x) { return std::tuple{x + 1.0f, x * 2.0f}; });
  expect_on_vectors(1, [](Acc<Vector<float>> x) {
    auto [a, b] = hs::unzip(
        hs::map([](auto e) { return std::tuple{e + 1.0f, hs::cast<std::int32_t>(e) * 3}; }, x));
    return std::tuple{a, b};
  });
  expect_on_matrices(1, [](Acc<Matrix<float>> x) {
    auto a = x + 1.0f;
    return std::tuple{a, a * 2.0f, hs::cast<double>(x)};
  });
}

TEST_P(Launches, ADenseLayerIsOneKernel) {
  // The activation and its argument, as two results of one contraction.
  const auto layer = [](Acc<Matrix<float>> a, Acc<Matrix<float>> b, Acc<Vector<float>> bias) {
    const auto n = hs::shape(a)[0], m = hs::shape(b)[1];
    const auto rows = hs::replicate(hs::over(hs::keep, m, hs::keep), a);
    const auto columns = hs::replicate(hs::over(n, hs::keep, hs::keep), hs::transpose(b));
    const auto product = hs::sum(hs::zip_with(std::multiplies<>{}, rows, columns));
    const auto before = product + hs::replicate(hs::over(n, hs::keep), bias);
    return std::tuple{hs::max(before, 3.0f), before};
  };
  std::vector<std::tuple<Matrix<float>, Matrix<float>, Vector<float>>> calls;
  for (const auto& [n, k, m] : {std::tuple{1, 1, 1}, {3, 0, 2}, {70, 90, 80}, {130, 67, 97}})
    calls.emplace_back(some_matrix(n, k), some_matrix(k, m), some_vector(m));
  expect(1, layer, calls);
}

TEST_P(Launches, WhatIsComputedOfAScanIsPartOfIt) {
  expect_on_vectors(
      1, [](Acc<Vector<float>> x) { return hs::scanl1(std::plus<>{}, x * 2.0f) + 1.0f; });
  expect_on_vectors(1, [](Acc<Vector<float>> x) {
    const auto sums = hs::scanl(std::plus<>{}, 0.0f, x);
    return std::tuple{sums, hs::map([](auto s) { return hs::cast<int>(s) % 7; }, sums)};
  });
  expect_on_matrices(1, [](Acc<Matrix<float>> x) {
    return hs::zip_with(std::minus<>{}, hs::scanl1(std::plus<>{}, x), x);
  });
  expect_on_vectors(1, [](Acc<Vector<float>> x) {
    const auto pairs = hs::map([](auto e) { return std::tuple{e, hs::cast<int>(e) * 2}; }, x);
    const auto both = [](auto a, auto b) {
      return std::tuple{hs::get<0>(a) + hs::get<0>(b), hs::max(hs::get<1>(a), hs::get<1>(b))};
    };
    auto [sums, largest] = hs::unzip(hs::scanl1(both, pairs));
    return std::tuple{sums, largest};
  });
}

TEST_P(Launches, ScansOfOneArrayShareItsReading) {
  expect_on_vectors(1, [](Acc<Vector<float>> x) {
    return std::tuple{hs::scanl1(std::plus<>{}, x), hs::scanl1(larger, x)};
  });
  expect_on_matrices(1, [](Acc<Matrix<float>> x) {
    const auto sums = hs::scanl(std::plus<>{}, 1.0f, x);
    return sums / hs::scanl(larger, 2.0f, x);
  });
  // One of the arrays has one more element.
  expect_on_vectors(2, [](Acc<Vector<float>> x) {
    return std::tuple{hs::scanl1(std::plus<>{}, x), hs::scanl(std::plus<>{}, 1.0f, x)};
  });
}

TEST_P(Launches, ScattersFillTheirOutputs) {
  expect_on_vectors(1, [](Acc<Vector<float>> x) {
    return hs::histogram(20, [](auto e) { return hs::cast<std::int64_t>(e); }, x);
  });
  // A preceding map is part of it.
  expect_on_vectors(1, [](Acc<Vector<float>> x) {
    return hs::permute_unique(
        hs::fill(hs::shape(x), Exp<float>(-2.5f)), [](auto i) { return i * 2; }, hs::sqrt(x));
  });
  // Separate defaults are written first.
  expect_on_vectors(2, [](Acc<Vector<float>> x) {
    return hs::permute(std::plus<>{}, x * 2.0f, [](auto i) { return i / 2; }, x);
  });
}

TEST_P(Launches, AMapAndItsFoldsAreOneKernel) {
  expect_on_vectors(1, [](Acc<Vector<float>> x) {
    const auto y = x * x + 1.0f;
    return std::tuple{y, hs::sum(y)};
  });
  expect_on_matrices(1, [](Acc<Matrix<float>> x) {
    const auto y = x * 2.0f - 1.0f;
    return std::tuple{hs::maximum(y), y, hs::sum(y) * 0.5f, y * 3.0f};
  });
}

TEST_P(Launches, WhatStandsBetweenKeepsKernelsApart) {
  // The second map reads other elements of the first one, or uses it through a fold.
  expect_on_vectors(2, [](Acc<Vector<float>> x) {
    auto a = hs::sqrt(x * x) * hs::sqrt(x + 1.0f) * 0.0f + x;
    return std::tuple{a, hs::reverse(a) + x};
  });
  expect_on_vectors(2, [](Acc<Vector<float>> x) {
    auto a = x + 1.0f;
    auto total = hs::the(hs::maximum(a * a));
    return std::tuple{a, hs::map([=](auto e) { return e + total; }, x)};
  });
}

TEST_P(Launches, GroupsInsideLoopsAndBranches) {
  std::vector<std::tuple<Vector<float>>> calls;
  calls.emplace_back(some_vector(100));
  expect(
      3,
      [](Acc<Vector<float>> x) {
        return hs::aiterate(
            3, [](Acc<Vector<float>> a, Acc<Vector<float>> b) { return std::tuple{a + b, a - b}; },
            std::tuple{x, x});
      },
      calls);
}

TEST_P(Launches, ComputeIsObeyed) {
  expect_on_vectors(2, [](Acc<Vector<float>> x) { return hs::compute(x * x) + 1.0f; });
}

HASTEN_ON_EVERY_DEVICE(Launches);

}  // namespace
