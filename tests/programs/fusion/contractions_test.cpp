// Products of matrices and similar programs, whose results are folded in rectangular tiles: every
// layout of operands, every size of element, and tiles, chunks and rows with remainders. Compared
// with the interpreter, bit for bit.
#include <hasten/hasten.hpp>

#include "tests/support/on_devices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <functional>
#include <tuple>
#include <utility>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

class Contractions : public hs::test::OnDevices {
 protected:
  // Small whole numbers, so that sums of floats are exact.
  template <class T>
  static Acc<Matrix<T>> matrix(std::int64_t rows, std::int64_t columns) {
    return hs::compute(hs::generate(hs::ix(rows, columns), [](Exp<hs::Ix<2>> ix) {
      return hs::cast<T>(hs::cast<int>((ix[0] * 31 + ix[1] * 17) % 19) - 9);
    }));
  }

  // Combines the elements at (row, k) and at (k, column), for every row, column and k.
  template <class F, class A, class B>
  static auto pairs(const F& f, const Acc<Matrix<A>>& left, const Acc<Matrix<B>>& right,
                    std::int64_t rows, std::int64_t columns) {
    return hs::zip_with(f, hs::replicate(hs::over(hs::keep, columns, hs::keep), left),
                        hs::replicate(hs::over(rows, hs::keep, hs::keep), hs::transpose(right)));
  }

  template <class T>
  static void product_of(std::int64_t rows, std::int64_t columns, std::int64_t n) {
    run(hs::sum(
        pairs(std::multiplies<>{}, matrix<T>(rows, n), matrix<T>(n, columns), rows, columns)));
  }
};

TEST_P(Contractions, EveryElement) {
  product_of<float>(195, 390, 19);
  product_of<double>(200, 210, 13);
  product_of<hs::half>(193, 385, 9);
  product_of<std::int8_t>(193, 386, 8);
  product_of<std::int64_t>(193, 194, 17);
  product_of<int>(33, 40, 50);  // too few tiles: an ordinary fold
}

// Sizes around the tiles and panels of processors, and sizes with too few results for them.
TEST_P(Contractions, EverySizeOfTile) {
  for (const std::int64_t rows : {11, 28, 31, 57})
    for (const std::int64_t columns : {7, 31, 32, 65}) product_of<float>(rows, columns, 1100);
  product_of<double>(40, 36, 1300);
  product_of<std::int16_t>(33, 130, 300);
  product_of<float>(0, 300, 400);
  product_of<float>(300, 400, 0);
  product_of<float>(60, 50, 2300);
  product_of<float>(5, 800, 900);  // few rows, and more columns than most second caches hold
}

// Small numbers that are added up as larger ones; a seed; and epilogues of the sums: of matrices of
// which the second one is wide, or narrow.
TEST_P(Contractions, SumsOfOtherTypesAndEpilogues) {
  const std::int64_t rows = 45;
  for (const auto& [columns, n] : {std::pair{70, 260}, std::pair{24, 700}}) {
    run(hs::sum(pairs([](auto x, auto y) { return hs::cast<float>(x) * hs::cast<float>(y); },
                      matrix<hs::half>(rows, n), matrix<hs::half>(n, columns), rows, columns)));
    run(hs::sum(pairs([](auto x, auto y) { return hs::cast<int>(x) * hs::cast<int>(y); },
                      matrix<std::int8_t>(rows, n), matrix<std::int8_t>(n, columns), rows,
                      columns)));
    const auto bias =
        hs::compute(hs::map([](auto i) { return hs::cast<float>(i); }, hs::iota(columns)));
    const auto product = hs::fold(std::plus<>{}, 3.0f,
                                  pairs(std::multiplies<>{}, matrix<float>(rows, n),
                                        matrix<float>(n, columns), rows, columns));
    run(hs::zip_with([](auto x, auto b) { return hs::max(x + b, 0.0f); }, product,
                     hs::replicate(hs::over(rows, hs::keep), bias)));
    // Shortest paths: another built-in operator, and another element.
    run(hs::minimum(
        pairs(std::plus<>{}, matrix<float>(rows, n), matrix<float>(n, columns), rows, columns)));
  }
}

// Loops and branches in the elements of a row or a column, in what is folded, in the operator, and
// in the epilogue, each with uniform and with varying conditions across columns.
TEST_P(Contractions, LoopsAndBranches) {
  const auto halvings = [](Exp<int> x) {
    return hs::get<1>(hs::while_loop([](auto y, auto) { return y != 0; },
                                     [](auto y, auto n) { return std::tuple{y / 2, n + 1}; },
                                     std::tuple{x, Exp<int>(0)}));
  };
  const auto either = [=](Exp<bool> c, Exp<int> x) {
    return hs::if_(c && halvings(x) > 2, halvings(x) + x, x - halvings(x * 3));
  };
  // The last of the elements with the most halvings, by a loop that returns its argument.
  const auto copied = [](Exp<int> x) {
    return hs::get<1>(
        hs::while_loop([](auto y, auto) { return y != 0; },
                       [](auto y, auto sum) { return std::tuple{y / 2, sum + (y - y / 2)}; },
                       std::tuple{x, Exp<int>(0)}));
  };
  const auto longer = [=](Exp<int> x, Exp<int> y) {
    return hs::if_(halvings(x) > halvings(y), copied(x), y);
  };
  for (const auto& [rows, columns, n] : {std::tuple{193, 195, 11}, std::tuple{45, 70, 260}}) {
    const auto a = matrix<int>(rows, n), b = matrix<int>(n, columns);
    run(hs::sum(
        pairs([=](auto x, auto y) { return halvings(x) * y + halvings(y); }, a, b, rows, columns)));
    run(hs::sum(pairs([=](auto x, auto y) { return either(x > 0, x) + either(x > y, y); }, a, b,
                      rows, columns)));
    const auto sums = hs::sum(pairs(std::multiplies<>{}, a, b, rows, columns));
    run(hs::imap(
        [=](Exp<hs::Ix<2>> ix, Exp<int> x) {
          const auto row = hs::cast<int>(ix[0]), column = hs::cast<int>(ix[1]);
          return halvings(row) + halvings(column) + halvings(x) + either(row > 90, x) +
                 either(x > column, row);
        },
        sums));
    run(hs::fold(longer, 0, pairs(std::multiplies<>{}, a, b, rows, columns)));
  }
}

TEST_P(Contractions, Complex) {
  const auto product = [](auto type, std::int64_t rows, std::int64_t columns, std::int64_t n) {
    using C = decltype(type);
    using T = typename C::value_type;
    const auto to_complex = [](Exp<T> x) { return Exp<C>{x, x * T{2} + T{1}}; };
    run(hs::sum(pairs(std::multiplies<>{}, hs::compute(hs::map(to_complex, matrix<T>(rows, n))),
                      hs::compute(hs::map(to_complex, matrix<T>(n, columns))), rows, columns)));
  };
  product(std::complex<float>{}, 193, 195, 11);
  product(std::complex<double>{}, 194, 193, 10);
}

// Both matrices, as stored and transposed.
TEST_P(Contractions, EveryLayout) {
  const std::int64_t rows = 194, columns = 387, n = 9;
  for (const bool left : {false, true})
    for (const bool right : {false, true}) {
      const auto a = left ? hs::transpose(matrix<int>(n, rows)) : matrix<int>(rows, n);
      const auto b = right ? hs::transpose(matrix<int>(columns, n)) : matrix<int>(n, columns);
      run(hs::sum(pairs(std::multiplies<>{}, a, b, rows, columns)));
    }
}

// Lengths around chunks of the folded axis, with and without a seed, by an operator that depends on
// the order: it composes maps x -> a * x + b.
TEST_P(Contractions, EveryLength) {
  using Affine = Exp<std::tuple<int, int>>;
  const auto then = [](Affine f, Affine g) {
    return std::tuple{hs::get<0>(f) * hs::get<0>(g), hs::get<1>(f) * hs::get<0>(g) + hs::get<1>(g)};
  };
  const auto affine = [](Exp<int> a, Exp<int> b) { return std::tuple{a, b}; };
  for (const std::int64_t n : {8, 9, 16, 23}) {
    const auto all = pairs(affine, matrix<int>(193, n), matrix<int>(n, 385), 193, 385);
    n % 2 == 0 ? run(hs::fold1(then, all)) : run(hs::fold(then, std::tuple{3, 1}, all));
  }
}

// Shared values are computed first: through a table, from several arrays, beside the indices.
TEST_P(Contractions, EveryElementFunction) {
  const std::int64_t rows = 193, columns = 386, n = 11;
  const auto table =
      hs::compute(hs::map([](Exp<std::int64_t> i) { return hs::cast<int>(i * i); }, hs::iota(19)));
  const auto places = hs::compute(
      hs::map([](Exp<int> x) { return hs::cast<std::int64_t>(x) + 9; }, matrix<int>(rows, n)));
  const auto looked_up = hs::map([=](Exp<std::int64_t> at) { return table[at]; }, places);
  run(hs::sum(pairs(std::multiplies<>{}, looked_up, matrix<int>(n, columns), rows, columns)));
  run(hs::maximum(hs::imap(
      [](Exp<hs::Ix<3>> ix, Exp<int> x) { return x * hs::cast<int>(ix[0] - 2 * ix[1] + ix[2]); },
      pairs(std::plus<>{}, matrix<int>(rows, n), matrix<int>(n, columns), rows, columns))));
  const auto weights = matrix<int>(1, n);
  run(hs::sum(hs::imap(
      [=](Exp<hs::Ix<3>> ix, Exp<int> x) { return x * weights(0, ix[2]); },
      pairs(std::plus<>{}, matrix<int>(rows, n), matrix<int>(n, columns), rows, columns))));
  // Two leaves, of which one needs both matrices and the other one matrix.
  run(hs::fold(
      [](Exp<std::tuple<int, int>> a, Exp<std::tuple<int, int>> b) {
        return std::tuple{hs::get<0>(a) + hs::get<0>(b), hs::max(hs::get<1>(a), hs::get<1>(b))};
      },
      std::tuple{0, -100},
      pairs([](Exp<int> a, Exp<int> b) { return std::tuple{a * b, a + 1}; }, matrix<int>(rows, n),
            matrix<int>(n, columns), rows, columns)));
}

TEST_P(Contractions, Batches) {
  const auto cube = [](std::int64_t x, std::int64_t y, std::int64_t z) {
    return hs::compute(hs::generate(hs::ix(x, y, z), [](Exp<hs::Ix<3>> ix) {
      return hs::cast<float>((ix[0] * 5 + ix[1] * 3 + ix[2]) % 13) - 6.0f;
    }));
  };
  for (const std::int64_t batches : {3, 16}) {
    const auto left =
        hs::replicate(hs::over(hs::keep, hs::keep, 130, hs::keep), cube(batches, 66, 9));
    const auto right =
        hs::replicate(hs::over(hs::keep, 66, hs::keep, hs::keep), cube(batches, 130, 9));
    run(hs::sum(left * right));
  }
}

// The extents of one operand bound the indices of the other, which may have more or fewer.
TEST_P(Contractions, OperandsOfOtherExtents) {
  const auto product = hs::compile(
      [](Acc<Matrix<int>> a, Acc<Matrix<int>> b) {
        const auto of_a = hs::shape(a);
        return hs::sum(hs::generate(hs::ix(of_a[0], of_a[0], of_a[1] - 1), [=](Exp<hs::Ix<3>> ix) {
          return a(ix[0], ix[2] + 1) * b(ix[1], ix[2]);
        }));
      },
      GetParam());
  const auto counted = [](std::int64_t rows, std::int64_t columns) {
    return Matrix<int>::from_function({rows, columns}, [=](hs::Ix<2> ix) {
      return static_cast<int>((ix[0] * 31 + ix[1] * 17) % 19) - 9;
    });
  };
  constexpr std::int64_t rows = 70, columns = 130;
  const Matrix<int> a = counted(rows, columns);
  const auto expected = [&](const Matrix<int>& b) {
    const auto [height, width] = std::pair{b.shape()[0], b.shape()[1]};
    return Matrix<int>::from_function({rows, rows}, [&](hs::Ix<2> ix) {
      int sum = 0;
      for (std::int64_t k = 0; k + 1 < columns && b.size() > 0; ++k)
        sum += a(ix[0], k + 1) * b(std::min(ix[1], height - 1), std::min(k, width - 1));
      return sum;
    });
  };
  for (const auto& [height, width] : {std::pair{rows, columns - 1},
                                      {rows + 5, columns},
                                      {rows - 1, columns - 1},
                                      {rows, columns - 2},
                                      {std::int64_t{1}, columns},
                                      {std::int64_t{0}, columns},
                                      {rows, 0}}) {
    const Matrix<int> b = counted(height, width);
    EXPECT_EQ(product(a, b), expected(b)) << height << " x " << width;
  }
  EXPECT_EQ(product.launch_count(), 1);
}

INSTANTIATE_TEST_SUITE_P(First, Contractions, hs::test::first_of_each(), hs::test::device_kind);

#if HASTEN_WITH_LLVM
TEST(ContractionsOnProcessors, ExplainSaysHowTheyAreRun) {
  const auto product = [](Acc<Matrix<float>> a, Acc<Matrix<float>> b) {
    return hs::sum(hs::zip_with(
        std::multiplies<>{}, hs::replicate(hs::over(hs::keep, hs::shape(b)[1], hs::keep), a),
        hs::replicate(hs::over(hs::shape(a)[0], hs::keep, hs::keep), hs::transpose(b))));
  };
  const std::string text = hs::compile(product, {.target = hs::cpu()}).explain().str();
  EXPECT_NE(text.find("runs by "), std::string::npos) << text;
  EXPECT_NE(text.find("results from panels"), std::string::npos) << text;
}

// The fold is in tiles where extents show that no read is out of range.
TEST(ContractionsOnProcessors, ReadsThatMayBeOutOfRangeDoNotPreventTiles) {
  const auto product = [](Acc<Matrix<float>> a, Acc<Matrix<float>> b) {
    return hs::sum(
        hs::generate(hs::ix(hs::shape(a)[0], hs::shape(a)[0], hs::shape(a)[1]),
                     [=](Exp<hs::Ix<3>> ix) { return a(ix[0], ix[2]) * b(ix[1], ix[2]); }));
  };
  const auto compiled = hs::compile(product, {.target = hs::cpu()});
  const std::string text = compiled.explain().str();
  EXPECT_NE(text.find("results from panels"), std::string::npos) << text;
  EXPECT_NE(text.find("as kernel 0, with limits"), std::string::npos) << text;
  EXPECT_EQ(compiled.kernel_count(), 1);
  EXPECT_EQ(compiled.launch_count(), 1);
}
#endif

}  // namespace
