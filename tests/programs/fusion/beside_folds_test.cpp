// Maps that must be stored, and folds of them: one launch makes arrays of two extents.
#include "tests/programs/fusion/launch_counts.hpp"

#include <complex>
#include <functional>
#include <tuple>
#include <utility>

using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

using Index = std::int64_t;
using Complex = std::complex<float>;

class BesideFolds : public hasten_test::LaunchCounts {};

using hasten_test::signed_matrix, hasten_test::signed_vector;

const auto costly = [](const auto& x) {
  return hs::map([](auto e) { return (e * e * 3 + e) % 17 * (e - 5) % 29; }, x);
};

TEST_P(BesideFolds, AMapAndItsSum) {
  const auto program = [](auto x) {
    const auto y = costly(x);
    return std::tuple{y, hs::sum(y)};
  };
  agrees_on_vectors(1, [=](Acc<Vector<int>> x) { return program(x); });
  agrees_on_matrices(1, [=](Acc<Matrix<int>> x) { return program(x); });
  agrees(
      1, [=](Acc<hs::Array<int, 3>> x) { return program(x); },
      hs::Array<int, 3>::from_function(hs::ix(5, 6, 70), [](hs::Ix<3> ix) {
        return static_cast<int>(ix[0] * 7 + ix[1] - ix[2]);
      }));
}

TEST_P(BesideFolds, SeveralMapsAndFolds) {
  agrees_on_matrices(1, [](Acc<Matrix<int>> x) {
    const auto y = costly(x);
    const auto z = hs::map([](auto e) { return hs::cast<double>(e) * 0.5; }, y);
    return std::tuple{hs::minimum(y), y, hs::sum(z), z};
  });
}

TEST_P(BesideFolds, FoldsOfAMapOfIt) {
  agrees_on_vectors(1, [](Acc<Vector<int>> x) {
    const auto y = costly(x);
    return std::tuple{y, hs::sum(y * y), hs::cast<float>(hs::sum(y)) * 0.5f};
  });
}

TEST_P(BesideFolds, AMapAndAFoldOfTheSameArray) {
  agrees_on_vectors(1, [](Acc<Vector<int>> x) { return std::tuple{x * 2, hs::sum(x)}; });
}

// Nothing else reads the map: it is not stored, although it has two readers.
TEST_P(BesideFolds, AMapForFoldsAlone) {
  const auto program = [](Acc<Vector<int>> x) {
    const auto y = hs::map(
        [](auto e) {
          const auto root = hs::sqrt(hs::cast<float>(e * e));
          return hs::cast<int>(hs::sin(root) * hs::cos(root) * 100.0f);
        },
        x);
    return std::tuple{hs::sum(y), hs::maximum(y)};
  };
  agrees(1, program, Vector<int>{0, 0, 0});
}

TEST_P(BesideFolds, NoElements) {
  const auto program = [](auto x) {
    const auto y = costly(x);
    return std::tuple{y, hs::fold(std::plus<>{}, 5, y)};
  };
  agrees(1, [=](Acc<Vector<int>> x) { return program(x); }, signed_vector(0));
  agrees(1, [=](Acc<Matrix<int>> x) { return program(x); }, signed_matrix(7, 0));
  agrees(0, [=](Acc<Matrix<int>> x) { return program(x); }, signed_matrix(0, 7));
}

TEST_P(BesideFolds, OfOtherTypes) {
  agrees_on_vectors(1, [](Acc<Vector<int>> x) {
    const auto z = hs::map([](auto e) { return hs::cast<Complex>(e) * Complex(0.5f, 2.0f); }, x);
    return std::tuple{
        z, hs::sum(hs::map([](auto e) { return hs::cast<std::int64_t>(hs::real(e)); }, z))};
  });
  agrees_on_vectors(1, [](Acc<Vector<int>> x) {
    const auto even = hs::map([](auto e) { return e % 2 == 0; }, x);
    const auto small = hs::cast<std::int8_t>(x);
    return std::tuple{even, small, hs::fold(std::logical_and<>{}, true, even), hs::sum(small)};
  });
}

// Element by element, the map would have to wait: two kernels, and the order is kept.
TEST_P(BesideFolds, OperatorsThatDoNotCommute) {
  agrees_on_vectors(2, [](Acc<Vector<int>> x) {
    const auto y = hs::map([](auto e) { return std::pair{e * 2 + 1, e}; }, x);
    const auto compose = [](auto f, auto g) {
      return std::pair{hs::get<0>(f) * hs::get<0>(g),
                       hs::get<0>(f) * hs::get<1>(g) + hs::get<1>(f)};
    };
    return std::tuple{y, hs::fold1(compose, y)};
  });
}

// As in a step of an iterative solver, whose rounds devices replay.
TEST_P(BesideFolds, InLoops) {
  const auto program = [](Acc<Vector<int>> x) {
    return hs::aiterate(
        50,
        [](Acc<Vector<int>> a, Acc<Scalar<int>> s) {
          const auto total = hs::the(s);
          const auto next = hs::map([=](auto e) { return (e * 5 + total) % 1000; }, a);
          return std::tuple{next, hs::sum(next)};
        },
        std::tuple{x, hs::sum(x)});
  };
  auto f = hs::compile(program, GetParam());
  const auto defined = hs::compile(program, {.target = hs::interpreter()});
  const auto x = signed_vector(3000);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f(x), defined(x)) << f.explain();
}

HASTEN_ON_EVERY_DEVICE(BesideFolds);

}  // namespace
