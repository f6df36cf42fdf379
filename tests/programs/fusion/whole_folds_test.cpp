// Folds of all axes at once: one launch over the array's own index space, beside arrays that are
// stored there, with the indices of each axis.
#include "tests/programs/fusion/launch_counts.hpp"

#include <complex>
#include <functional>
#include <tuple>
#include <utility>

using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

using Index = std::int64_t;
using Cube = hs::Array<int, 3>;
using hasten_test::signed_matrix;

class WholeFolds : public hasten_test::LaunchCounts {
 protected:
  // Sizes around vectors and tiles: short rows, long rows, rows of several tiles, one element.
  template <class F>
  void agrees_on_all_matrices(std::int64_t launches, const F& f) {
    agrees_on_matrices(launches, f);
    for (const auto& [rows, columns] :
         {std::pair<Index, Index>{32'769, 1}, {1, 32'768}, {7, 4681}, {3, 32'771}, {40'009, 3}})
      agrees(launches, f, signed_matrix(rows, columns));
  }
};

Cube some_cube(Index l, Index m, Index n) {
  return Cube::from_function(hs::ix(l, m, n), [](Ix<3> ix) {
    return static_cast<int>((ix[0] * 101 + ix[1] * 37 + ix[2] * 5) % 23) - 7;
  });
}

const auto at_borders = [](const auto& a) {
  return hs::stencil([](auto at) { return at(-1, 0) * 2 + at(1, 0) - at(0, -1) + at(0, 1) * 5; },
                     hs::boundary::outside(3), a);
};

TEST_P(WholeFolds, OfAMatrix) {
  agrees_on_all_matrices(1, [](Acc<Matrix<int>> a) { return hs::sum_all(a * a); });
  agrees_on_all_matrices(1, [](Acc<Matrix<int>> a) {
    return std::tuple{hs::sum_all(a), hs::minimum_all(a), hs::maximum_all(a),
                      hs::count_all([](auto x) { return x > 3; }, a)};
  });
}

TEST_P(WholeFolds, OfAStencil) {
  agrees_on_all_matrices(1, [](Acc<Matrix<int>> a) { return hs::sum_all(at_borders(a)); });
  agrees_on_all_matrices(1, [](Acc<Matrix<int>> a) {
    const auto clamped =
        hs::stencil([](auto at) { return at(-2, 1) - at(2, -3) * 3; }, hs::boundary::clamp, a);
    return std::tuple{hs::sum_all(clamped), hs::maximum_all(clamped * a)};
  });
}

TEST_P(WholeFolds, OfATransposedArray) {
  agrees_on_all_matrices(1, [](Acc<Matrix<int>> a) { return hs::sum_all(hs::transpose(a) * 3); });
  agrees_on_all_matrices(1, [](Acc<Matrix<int>> a) {
    const auto t = hs::transpose(a);
    return hs::maximum_all(hs::zip_with(std::minus<>{}, t, a));
  });
}

TEST_P(WholeFolds, OfPartsOfArrays) {
  agrees_on_all_matrices(
      1, [](Acc<Matrix<int>> a) { return hs::sum_all(hs::drop_on<0>(1, hs::take(5, a))); });
  const auto plane = [](Acc<Cube> a, Exp<Index> i) {
    return hs::sum_all(hs::slice(hs::over(hs::keep, i, hs::keep), a));
  };
  agrees(1, plane, some_cube(7, 3, 65), Index{1});
  agrees(1, plane, some_cube(130, 2, 257), Index{0});
}

TEST_P(WholeFolds, OfThreeAxes) {
  const auto program = [](Acc<Cube> a) {
    return std::tuple{
        hs::sum_all(hs::imap(
            [](Exp<Ix<3>> ix, auto x) { return hs::cast<int>(ix[0] + 2 * ix[1] - ix[2]) * x; }, a)),
        hs::sum_all(a)};
  };
  for (const auto& [l, m, n] : {std::tuple<Index, Index, Index>{1, 1, 1},
                                {2, 3, 5},
                                {64, 1, 64},
                                {1, 7, 4681},
                                {31, 33, 35},
                                {5, 2, 33'000}})
    agrees(1, program, some_cube(l, m, n));
}

TEST_P(WholeFolds, BesideMapsOfTheSameSpace) {
  agrees_on_all_matrices(1, [](Acc<Matrix<int>> a) {
    const auto s = at_borders(a);
    return std::tuple{s, hs::sum_all(s * a)};
  });
  agrees_on_all_matrices(1, [](Acc<Matrix<int>> a) {
    const auto s = hs::transpose(a) - 3;
    return std::tuple{s, hs::sum_all(s), hs::cast<float>(hs::maximum_all(s)) * 0.5f};
  });
}

TEST_P(WholeFolds, WithSeedsAndWithout) {
  agrees_on_all_matrices(1, [](Acc<Matrix<int>> a) {
    return std::tuple{hs::fold_all(std::plus<>{}, 17, at_borders(a)),
                      hs::fold1_all([](auto x, auto y) { return hs::min(x, y); }, at_borders(a))};
  });
}

TEST_P(WholeFolds, OfNothing) {
  const auto sums = [](Acc<Matrix<int>> a) {
    return std::tuple{hs::fold_all(std::plus<>{}, 5, at_borders(a)), at_borders(a)};
  };
  agrees(1, sums, signed_matrix(0, 7));
  agrees(1, sums, signed_matrix(7, 0));
  agrees(1, sums, signed_matrix(0, 0));
  const auto least =
      hs::compile([](Acc<Matrix<int>> a) { return hs::minimum_all(at_borders(a)); }, GetParam());
  EXPECT_THROW(least(signed_matrix(0, 7)), hs::ShapeError);
  EXPECT_THROW(least(signed_matrix(7, 0)), hs::ShapeError);
}

// Operators that need an order fold the array as one row, together with other folds of its
// elements. Elements that are not computed in the order of that row are stored first.
TEST_P(WholeFolds, InOrder) {
  agrees_on_all_matrices(
      1, [](Acc<Matrix<int>> a) { return std::tuple{hs::sum_all(a), hs::argmin_all(a)}; });
  const auto first = [](auto x, auto y) { return hs::select(x != 0, x, y); };
  agrees_on_all_matrices(
      2, [=](Acc<Matrix<int>> a) { return hs::fold_all(first, 0, hs::transpose(a) % 3); });
}

TEST_P(WholeFolds, OfSeveralTypes) {
  using Complex = std::complex<double>;
  const auto complex = [](Acc<Matrix<Complex>> a) {
    return hs::sum_all(hs::transpose(a) * Complex(0, 1));
  };
  const auto some = Matrix<Complex>::from_function(hs::ix(3, 5), [](Ix<2> ix) {
    return Complex(static_cast<double>(ix[0] % 2), static_cast<double>(ix[1] % 2 + 1));
  });
  agrees(2, complex, some);  // the operator is not built in
  const auto flags = [](Acc<Matrix<int>> a) {
    const auto odd = hs::map([](auto x) { return x % 2 != 0; }, hs::transpose(a));
    return std::tuple{hs::any_of_all(odd), hs::all_of_all(odd)};
  };
  agrees_on_all_matrices(1, flags);
}

TEST_P(WholeFolds, OfWhatTheUserFlattens) {
  agrees_on_all_matrices(1, [](Acc<Matrix<int>> a) {
    const auto flat = hs::flatten(at_borders(a));
    return std::tuple{hs::sum(flat), hs::maximum(hs::map([](auto x) { return x * x; }, flat))};
  });
  // Each row consists of two axes.
  const auto rows = [](Acc<Cube> a) {
    const auto shape = hs::shape(a);
    return hs::sum(hs::reshape(hs::ix(shape[0], shape[1] * shape[2]), hs::reverse(a)));
  };
  for (const auto& [l, m, n] :
       {std::tuple<Index, Index, Index>{1, 1, 1}, {5, 3, 7}, {300, 2, 40}, {3, 11, 33'000}})
    agrees(1, rows, some_cube(l, m, n));
}

HASTEN_ON_EVERY_DEVICE(WholeFolds);

}  // namespace
