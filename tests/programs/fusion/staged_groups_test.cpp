// Kernels with inner folds as members of groups: with epilogues, and beside other folds and maps.
#include "tests/programs/fusion/launch_counts.hpp"

#include <complex>
#include <functional>
#include <utility>

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

using Index = std::int64_t;
using hasten_test::some_matrix, hasten_test::some_vector;

class StagedGroups : public hasten_test::LaunchCounts {
 protected:
  // The last size determines the expected number of launches.
  struct Sizes {
    Index points, centres, dimensions;
  };
  static std::vector<Sizes> short_stages() {
    return {{1, 1, 1}, {5, 3, 2}, {17, 9, 4}, {3, 5, 0}, {2, 7, 64}, {300, 7, 3}};
  }
  static std::vector<Sizes> long_stages() { return {{17, 3, 65}, {4, 6, 300}}; }

  template <class T = float, class F>
  void expect_of_distances(std::int64_t launches, F f, const std::vector<Sizes>& sizes) {
    std::vector<std::tuple<Matrix<T>, Matrix<T>>> calls;
    for (const auto& [points, centres, dimensions] : sizes)
      calls.emplace_back(some_matrix<T>(points, dimensions), some_matrix<T>(centres, dimensions));
    expect(launches, f, calls);
  }
};

template <class T = float>
auto distances(Acc<Matrix<T>> points, Acc<Matrix<T>> centres) {
  const auto n = hs::shape(points)[0], m = hs::shape(centres)[0];
  return hs::sum(hs::zip_with([](auto x, auto y) { return (x - y) * (x - y); },
                              hs::replicate(hs::over(hs::keep, m, hs::keep), points),
                              hs::replicate(hs::over(n, hs::keep, hs::keep), centres)));
}

template <class T>
auto along_rows(const Acc<Vector<T>>& of_rows, const Acc<Matrix<T>>& a) {
  return hs::replicate(hs::over(hs::keep, hs::shape(a)[1]), of_rows);
}

template <class T>
auto soft_max(const Acc<Matrix<T>>& a) {
  const auto e =
      hs::zip_with([](auto x, auto m) { return hs::exp(x - m); }, a, along_rows(hs::maximum(a), a));
  return hs::zip_with(std::divides<>{}, e, along_rows(hs::sum(e), e));
}

// -- epilogues ------------------------------------------------------------------------------------

const auto nearest = [](Acc<Matrix<float>> points, Acc<Matrix<float>> centres) {
  return hs::argmin(distances(points, centres));
};

TEST_P(StagedGroups, ArgumentOfTheMinimumOfDistances) {
  expect_of_distances(1, nearest, short_stages());
  expect_of_distances(2, nearest, long_stages());
  expect_stored({}, nearest);
}

TEST_P(StagedGroups, AnEpilogueReadsOtherArrays) {
  const auto program = [](Acc<Matrix<float>> points, Acc<Matrix<float>> centres) {
    const auto of_nearest =
        hs::map([=](auto i) { return centres(i, 0); }, nearest(points, centres));
    return hs::zip_with(std::plus<>{}, of_nearest,
                        hs::map([](auto x) { return x * 2.0f; }, of_nearest));
  };
  std::vector<Sizes> sizes = short_stages();
  std::erase_if(sizes, [](const Sizes& s) { return s.dimensions == 0; });
  expect_of_distances(1, program, sizes);
  expect_of_distances(2, program, long_stages());
}

TEST_P(StagedGroups, SeveralEpiloguesOfOneFold) {
  const auto program = [](Acc<Matrix<float>> points, Acc<Matrix<float>> centres) {
    const auto least = hs::minimum(distances(points, centres));
    return std::tuple{hs::sqrt(least * least), least + 1.0f, least};
  };
  expect_of_distances(1, program, short_stages());
  expect_of_distances(2, program, long_stages());
}

TEST_P(StagedGroups, ElementTypes) {
  const auto program = [](auto points, auto centres) {
    return hs::map([](auto x) { return x + x; }, hs::minimum(distances(points, centres)));
  };
  expect_of_distances<std::int8_t>(
      1, [=](Acc<Matrix<std::int8_t>> a, Acc<Matrix<std::int8_t>> b) { return program(a, b); },
      short_stages());
  expect_of_distances<std::int64_t>(
      1, [=](Acc<Matrix<std::int64_t>> a, Acc<Matrix<std::int64_t>> b) { return program(a, b); },
      short_stages());
  expect_of_distances<double>(
      1, [=](Acc<Matrix<double>> a, Acc<Matrix<double>> b) { return program(a, b); },
      short_stages());
}

TEST_P(StagedGroups, ComplexSums) {
  using Number = std::complex<float>;
  const auto program = [](Acc<Matrix<float>> points, Acc<Matrix<float>> centres) {
    const auto numbers =
        hs::map([](auto x) { return Exp<Number>{x, x + 1.0f}; }, distances(points, centres));
    return hs::map([](auto z) { return z * z; }, hs::sum(numbers));
  };
  expect_of_distances(1, program, {{1, 1, 1}, {5, 3, 2}, {3, 5, 0}, {30, 7, 3}});
}

// -- siblings -------------------------------------------------------------------------------------

using Cost = std::tuple<Matrix<float>, Matrix<float>, Matrix<float>>;
std::vector<Cost> costs(const std::vector<std::tuple<Index, Index, Index>>& sizes) {
  std::vector<Cost> calls;
  for (const auto& [n, m, d] : sizes)
    calls.emplace_back(some_matrix(n, d), some_matrix(m, d), some_matrix(n, m));
  return calls;
}

TEST_P(StagedGroups, AFoldOfFoldsBesideAnother) {
  const auto program = [](Acc<Matrix<float>> points, Acc<Matrix<float>> centres,
                          Acc<Matrix<float>> prices) {
    const auto total = distances(points, centres) + prices;
    return std::tuple{hs::minimum(total), hs::sum(prices), hs::maximum(prices) * 2.0f};
  };
  expect(1, program, costs({{1, 1, 1}, {9, 5, 3}, {0, 3, 2}, {64, 33, 64}}));
  expect(2, program, costs({{3, 70, 65}, {40, 9, 128}}));
}

/// x -> a * x + b: associative under composition, not commutative.
using Affine = std::pair<std::uint32_t, std::uint32_t>;
const auto compose = [](const Exp<Affine>& f, const Exp<Affine>& g) {
  const auto [a, b] = f;
  const auto [c, d] = g;
  return std::pair{a * c, a * d + b};
};

TEST_P(StagedGroups, OrderIsKept) {
  for (const bool seeded : {true, false}) {
    const auto program = [=](Acc<hs::Array<std::uint32_t, 3>> a, Acc<Matrix<std::uint32_t>> b) {
      const auto maps = hs::map([](auto x) { return std::pair{x * 2u + 1u, x + 5u}; }, a);
      const auto of_rows =
          hs::map([](auto f) { return hs::get<1>(f); }, hs::fold(compose, Affine{1, 0}, maps));
      const auto with = hs::map([](auto x) { return std::pair{x * 4u + 1u, x}; }, of_rows + b);
      const auto plain = hs::map([](auto x) { return std::pair{x * 4u + 3u, x + 1u}; }, b);
      const auto fold = [&](const auto& x) {
        return seeded ? hs::fold(compose, Affine{3, 5}, x) : hs::fold1(compose, x);
      };
      return std::tuple{hs::map([](auto f) { return f; }, fold(with)), fold(plain)};
    };
    std::vector<std::tuple<hs::Array<std::uint32_t, 3>, Matrix<std::uint32_t>>> calls;
    for (const auto& [n, m, d] : {std::tuple<Index, Index, Index>{1, 1, 1},
                                  {3, 13, 2},
                                  {0, 4, 2},
                                  {5, 255, 3},
                                  {2, 1000, 7}})
      calls.emplace_back(hs::Array<std::uint32_t, 3>::from_function(
                             hs::ix(n, m, d),
                             [](hs::Ix<3> ix) {
                               return static_cast<std::uint32_t>(3 * ix[0] + 5 * ix[1] + ix[2]);
                             }),
                         some_matrix<std::uint32_t>(n, m));
    expect(1, program, calls);
  }
}

TEST_P(StagedGroups, SeedsOfEmptyRows) {
  const auto program = [](Acc<Matrix<float>> points, Acc<Matrix<float>> centres,
                          Acc<Matrix<float>> prices) {
    const auto total = distances(points, centres) + prices;
    return std::tuple{hs::fold(std::plus<>{}, 7.0f, total) + 1.0f, hs::product(prices)};
  };
  expect(1, program, costs({{4, 0, 3}, {0, 4, 3}, {5, 4, 3}}));
}

// -- maps whose rows are folded first ------------------------------------------------------------

TEST_P(StagedGroups, MapsBesideAMapOfFoldedRows) {
  std::vector<std::tuple<Matrix<float>>> calls, few_rows;
  for (const auto& [rows, columns] :
       {std::pair<Index, Index>{1, 1}, {3, 7}, {65, 17}, {0, 5}, {70, 300}})
    calls.emplace_back(some_matrix(rows, columns));
  few_rows.emplace_back(some_matrix(2, 20'000));
  const auto twice = [](Acc<Matrix<float>> a) { return std::tuple{soft_max(a), a * 2.0f}; };
  expect(1, twice, calls, 1e-5);
  expect(3, twice, few_rows, 1e-5);
  const auto scaled = [](Acc<Matrix<float>> a) {
    const auto s = soft_max(a);
    return std::tuple{s, s * 2.0f, hs::cast<double>(a)};
  };
  expect(1, scaled, calls, 1e-5);
  expect(3, scaled, few_rows, 1e-5);
}

// The fold's kernel cannot contain a fold along the rows of its results.
TEST_P(StagedGroups, AMapOfFoldedRowsIsNoEpilogue) {
  const auto program = [](Acc<hs::Array<float, 3>> a) { return soft_max(hs::sum(a)); };
  std::vector<std::tuple<hs::Array<float, 3>>> calls;
  for (const auto& [n, m] : {std::pair<Index, Index>{1, 1}, {4, 9}, {70, 40}})
    calls.emplace_back(hs::Array<float, 3>::from_function(hs::ix(n, m, Index{3}), [](hs::Ix<3> ix) {
      return static_cast<float>((ix[0] + 3 * ix[1] + ix[2]) % 5);
    }));
  expect(2, program, calls, 1e-5);
}

// -- control --------------------------------------------------------------------------------------

TEST_P(StagedGroups, InsideLoopsAndBranches) {
  const auto program = [](Acc<Matrix<float>> points, Acc<Matrix<float>> centres) {
    const auto round = [=](Acc<Vector<std::int64_t>> at) {
      const auto moved =
          hs::imap([=](auto ix, auto x) { return x + hs::cast<float>(at[ix[0]]); }, points);
      return hs::map([](auto i) { return i + 1; }, nearest(moved, centres));
    };
    return hs::aiterate(3, round, nearest(points, centres));
  };
  std::vector<Sizes> sizes = short_stages();
  std::erase_if(sizes, [](const Sizes& s) { return s.dimensions == 0; });
  expect_of_distances(4, program, sizes);
  expect_of_distances(8, program, long_stages());
}

TEST_P(StagedGroups, ChecksTakeThemApart) {
  hs::Options options = GetParam();
  options.checks = hs::Checks::all;
  const auto program = [](Acc<Matrix<float>> points, Acc<Matrix<float>> centres,
                          Acc<Vector<float>> table) {
    return hs::map([=](auto i) { return table[i]; }, nearest(points, centres));
  };
  auto f = hs::compile(program, options);
  const auto points = some_matrix(20, 3), centres = some_matrix(6, 3);
  const auto expected = hs::run(program(hs::use(points), hs::use(centres), hs::use(some_vector(6))),
                                {.target = hs::interpreter()});
  EXPECT_EQ(f(points, centres, some_vector(6)), expected);
  EXPECT_THROW(f(points, centres, some_vector(1)), hs::IndexError);
}

HASTEN_ON_EVERY_DEVICE(StagedGroups);

}  // namespace
