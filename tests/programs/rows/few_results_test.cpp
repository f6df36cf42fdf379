// Folds whose results are few along the last but one axis, with lanes across the axis before:
// products of many points and a small matrix, and of many small matrices, around every threshold,
// against the interpreter.
#include "../support.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

using hs::Acc, hs::Array, hs::Exp, hs::Matrix;

namespace {

class FewResults : public hasten_test::OnEveryDevice {
 protected:
  template <class P>
  static void expect_same(const P& program, const std::string& what) {
    EXPECT_EQ(run(program), hs::run(program, {.target = hs::interpreter()})) << what;
  }
};

template <std::size_t N>
Acc<Array<std::int32_t, N>> numbers(hs::Ix<N> shape) {
  std::int64_t size = 1;
  for (std::size_t axis = 0; axis < N; ++axis) size *= shape[axis];
  std::vector<std::int32_t> result(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<std::int32_t>(i * 7919 % 251) - 100;
  return hs::use(Array<std::int32_t, N>(shape, result));
}

template <class Check>
void of_all_sizes(Check check) {
  for (const std::int64_t outside : {0, 1, 15, 16, 17, 40, 131})
    for (const std::int64_t results : {0, 1, 2, 3, 4, 16, 31, 32})
      for (const std::int64_t depth : {0, 1, 2, 3, 4, 8, 9, 63, 64})
        check(outside, results, depth,
              std::to_string(outside) + " by " + std::to_string(results) + " of " +
                  std::to_string(depth));
}

TEST_P(FewResults, OfPointsAndAMatrix) {
  of_all_sizes([](std::int64_t n, std::int64_t m, std::int64_t k, const std::string& what) {
    const auto points = numbers(hs::ix(n, k));
    expect_same(hs::matmul(points, hs::transpose(numbers(hs::ix(m, k)))) + 1, what);
    expect_same(hs::matmul(points, numbers(hs::ix(k, m))), what);
  });
}

// Each result reads a row of its own.
TEST_P(FewResults, OfManyMatrices) {
  of_all_sizes([](std::int64_t n, std::int64_t m, std::int64_t k, const std::string& what) {
    const auto all = numbers(hs::ix(n, m, k));
    const auto points = hs::replicate(hs::over(hs::keep, m, hs::keep), numbers(hs::ix(n, k)));
    expect_same(std::tuple{hs::sum(all * points), hs::fold(std::plus<>{}, 5, all - points)}, what);
  });
}

// Affine maps, whose numbers wrap: composing them needs an order.
TEST_P(FewResults, OperatorsThatNeedAnOrder) {
  using Affine = std::tuple<std::int32_t, std::int32_t>;
  const auto composed = [](const Exp<Affine>& f, const Exp<Affine>& g) {
    const auto [fa, fb] = f;
    const auto [ga, gb] = g;
    return std::tuple{fa * ga, fb * ga + gb};
  };
  of_all_sizes([&](std::int64_t n, std::int64_t m, std::int64_t k, const std::string& what) {
    const auto maps = hs::map([](Exp<std::int32_t> x) { return Exp<Affine>{std::tuple{x | 1, x}}; },
                              numbers(hs::ix(n, m, k)));
    expect_same(hs::fold(composed, Affine{3, 4}, maps), what);
  });
}

// Two axes outside, elements of other sizes, and results that know where they are.
TEST_P(FewResults, OtherElements) {
  const auto all = numbers(hs::ix(3, 20, 5, 7));
  const auto narrow = hs::cast<std::int8_t>(all);
  expect_same(hs::sum(all), "of 32 bits");
  expect_same(hs::maximum(narrow), "of 8 bits");
  expect_same(hs::sum<std::int64_t>(narrow), "widened");
  expect_same(hs::argmax(all), "places");
  expect_same(hs::argmax(hs::sum(all)), "places of sums");
  expect_same(hs::argmax(hs::matmul(numbers(hs::ix(40, 3)), hs::transpose(numbers(hs::ix(5, 3))))),
              "places of products");
  expect_same(hs::imap(
                  [](Exp<hs::Ix<3>> i, Exp<std::int32_t> x) {
                    return hs::cast<std::int64_t>(x) + i[0] * 100 + i[1] * 10 + i[2];
                  },
                  hs::sum(all)),
              "places beside");
}

// As many results as elements of each, which are written out: of other types, under conditions, at
// indices with limits, and several folds at once.
TEST_P(FewResults, SquaresOfOtherElements) {
  for (const std::int64_t n : {16, 17, 33, 100})
    for (const std::int64_t k : {2, 3, 4}) {
      const std::string what = std::to_string(n) + " by " + std::to_string(k);
      const auto points = numbers(hs::ix(n, k)), matrix = numbers(hs::ix(k, k));
      const auto doubles = [](const auto& x) { return hs::cast<double>(x); };
      const auto bytes = [](const auto& x) { return hs::cast<std::uint8_t>(x); };
      expect_same(hs::matmul(doubles(points), doubles(matrix)), what);
      expect_same(hs::matmul(bytes(points), bytes(matrix)), what);
      const auto product = [=](const auto& element) {
        return hs::generate(hs::ix(n, k, k), [=](Exp<hs::Ix<3>> i) { return element(i); });
      };
      const auto above = product([=](const Exp<hs::Ix<3>>& i) {
        const auto next = hs::min(i[2] + 1, k - 1), below = hs::min(i[1] + 1, k - 1);
        return hs::if_(points(i[0], i[2]) > 0, points(i[0], next) * matrix(i[2], below), 7);
      });
      expect_same(std::tuple{hs::sum(above), hs::maximum(above), hs::argmin(above)}, what);
      const auto of_rows = product([=](const Exp<hs::Ix<3>>& i) {
        return points(n - 1 - i[0], i[2]) - matrix(i[1], k - 1 - i[2]) +
               hs::cast<std::int32_t>(i[0]);
      });
      expect_same(hs::fold(std::plus<>{}, 11, of_rows), what);
    }
}

// Long columns, which are folded in parts: from a few columns to more than a register.
TEST_P(FewResults, ColumnsOfManyRows) {
  for (const std::int64_t columns : {1, 2, 3, 7, 8, 15, 16, 17})
    for (const std::int64_t rows : {100, 8192, 8205, 20000}) {
      const std::string what = std::to_string(rows) + " rows of " + std::to_string(columns);
      const auto all = numbers(hs::ix(rows, columns));
      expect_same(std::tuple{hs::sum_on<0>(all), hs::minimum_on<0>(all), hs::maximum_on<0>(all)},
                  what);
      expect_same(hs::sum_on<0>(hs::cast<std::int8_t>(all)) + std::int8_t{1}, what);
      expect_same(hs::sum_on<0>(hs::cast<std::int64_t>(all) * hs::cast<std::int64_t>(all)), what);
      expect_same(hs::fold_on<0>(std::plus<>{}, 7, all), what);
      expect_same(hs::all_of(hs::transpose(hs::map([](auto x) { return x < 150; }, all))), what);
    }
  const auto two = numbers(hs::ix(2, 9000, 3));
  expect_same(hs::sum_on<1>(two), "an axis outside");
}

HASTEN_ON_EVERY_DEVICE(FewResults);

}  // namespace
