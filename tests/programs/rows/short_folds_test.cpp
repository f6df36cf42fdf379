// Folds of a few elements whose number the program states, and folds of folds: blocks of pictures,
// rows of small matrices, around every threshold, against the interpreter.
#include "against_interpreter.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

using hasten_test::numbers_of;
using hs::Acc, hs::Array, hs::Exp, hs::Ix, hs::Matrix;

namespace {

class ShortFolds : public hasten_test::AgainstInterpreter {};

const std::int64_t sizes[] = {0, 1, 2, 7, 16, 33, 130};
std::string words(std::int64_t a, std::int64_t b) {
  return std::to_string(a) + " by " + std::to_string(b);
}

// Pooling, in both orders of axes, with blocks that are unrolled and blocks that are not.
template <class T>
void blocks(auto check) {
  const auto larger = [](const Exp<T>& a, const Exp<T>& b) { return hs::max(a, b); };
  for (const std::int64_t rows : sizes)
    for (const std::int64_t columns : sizes)
      for (const std::int64_t k : {1, 2, 3, 4, 5}) {
        const auto x = numbers_of<T>(hs::ix(rows * k, columns * k));
        const auto cut = hs::reshape(hs::ix(rows, k, columns, k), x);
        const std::string what = words(rows, columns) + " blocks of " + std::to_string(k);
        check(std::tuple{hs::sum(hs::sum_on<1>(cut)), hs::sum_on<1>(hs::sum(cut)),
                         hs::fold_on<1>(larger, T{3}, hs::fold(larger, T{3}, cut))},
              what);
      }
}
TEST_P(ShortFolds, BlocksOfNumbers) {
  blocks<std::int32_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(ShortFolds, BlocksOfBytes) {
  blocks<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
// Whole numbers, whose sums are exact.
TEST_P(ShortFolds, BlocksOfFloats) {
  blocks<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}

// Bits that are packed, whose places need no test below 64, and windows whose last elements are
// read again.
TEST_P(ShortFolds, RowsWithAnInterior) {
  for (const std::int64_t rows : {0, 1, 7, 8, 9, 33, 100})
    for (const std::int64_t k : {1, 3, 8, 31, 32, 63, 64, 65, 70}) {
      const auto x = numbers_of<std::uint8_t>(hs::ix(rows, k));
      const auto y = numbers_of<std::int32_t>(hs::ix(rows + 2));
      const auto packed = hs::fold(std::bit_or<>{}, std::uint32_t{0},
                                   hs::imap(
                                       [](const Exp<Ix<2>>& i, const auto& v) {
                                         return hs::cast<std::uint32_t>(v & Exp<std::uint8_t>(1))
                                                << i[1];
                                       },
                                       x));
      const auto windows = hs::sum(hs::generate(hs::ix(rows, k), [=](const Exp<Ix<2>>& i) {
        return y[hs::min(i[0] + i[1], Exp<std::int64_t>(rows + 1))];
      }));
      expect_same(std::tuple{packed, windows}, words(rows, k));
    }
}

TEST_P(ShortFolds, OperatorsThatNeedAnOrder) {
  using Affine = std::tuple<std::int32_t, std::int32_t>;
  const auto composed = [](const Exp<Affine>& f, const Exp<Affine>& g) {
    const auto [fa, fb] = f;
    const auto [ga, gb] = g;
    return std::tuple{fa * ga, fb * ga + gb};
  };
  for (const std::int64_t rows : sizes)
    for (const std::int64_t k : {1, 2, 4, 5}) {
      const auto maps =
          hs::map([](Exp<std::int32_t> x) { return Exp<Affine>{std::tuple{x | 1, x}}; },
                  numbers_of<std::int32_t>(hs::ix(rows, 3, k)));
      const auto rows_of = hs::fold1(composed, maps);
      expect_same(hs::fold(composed, Exp<Affine>{std::tuple{1, 5}}, rows_of), words(rows, k));
    }
}

// For every number of rows and columns listed.
TEST_P(ShortFolds, FoldsOfFolds) {
  const auto smaller = [](const auto& a, const auto& b) { return hs::min(a, b); };
  for (const std::int64_t outside : {0, 1, 5, 40})
    for (const std::int64_t rows : {0, 1, 3, 9, 70})
      for (const std::int64_t columns : {0, 1, 3, 8, 65}) {
        const auto x = numbers_of<std::int32_t>(hs::ix(outside, rows, columns));
        const std::string what = std::to_string(outside) + " of " + words(rows, columns);
        expect_same(std::tuple{hs::sum(hs::sum(x * 2)), hs::sum(hs::sum(hs::sum(x))),
                               hs::fold(smaller, 7, hs::fold(smaller, 7, x)),
                               hs::fold(std::plus<>{}, 1, hs::fold(std::plus<>{}, 1, x))},
                    what);
        if (rows * columns > 0) expect_same(hs::fold1(smaller, hs::fold1(smaller, x)), what);
      }
}

// Rows without elements have no least one, however they are folded.
TEST_P(ShortFolds, NothingHasNoLeastElement) {
  const auto least = [](const auto& x) { return hs::minimum(hs::minimum(x)); };
  const hs::Options here = GetParam();
  for (const auto& [rows, columns] : {std::pair{0, 3}, std::pair{3, 0}, std::pair{0, 0}}) {
    EXPECT_THROW(hs::run(least(numbers_of<std::int32_t>(hs::ix(2, rows, columns))), here),
                 hs::ShapeError);
    EXPECT_EQ(hs::run(least(numbers_of<std::int32_t>(hs::ix(0, rows, columns))), here).size(), 0);
  }
}

// The fewest arrays in memory: each is a map, or one fold.
TEST(ShortFoldsLaunches, OneForBlocksAndForNestedFolds) {
  const auto launches = [](const auto& program, const auto& argument) {
    const auto f = hs::compile(program, {.target = hs::cpu()});
    static_cast<void>(f(argument));
    return f.statistics().launches;
  };
  const Matrix<float> x(hs::ix(40, 60), std::vector<float>(2400, 1.0f));
  const auto pooled = [](const Acc<Matrix<float>>& a) {
    const auto [rows, columns] = hs::shape(a);
    return hs::maximum(hs::maximum_on<1>(hs::reshape(hs::ix(rows / 2, 2, columns / 2, 2), a)));
  };
  EXPECT_EQ(launches(pooled, x), 1);
  const Array<float, 3> y(hs::ix(40, 20, 3), std::vector<float>(2400, 1.0f));
  EXPECT_EQ(launches([](const Acc<Array<float, 3>>& a) { return hs::sum(hs::sum(a)); }, y), 1);
}

HASTEN_ON_EVERY_DEVICE(ShortFolds);

}  // namespace
