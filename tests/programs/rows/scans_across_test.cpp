// Scans whose rows go across lanes, because they are short, because their operator needs an order,
// or because the scanned axis is not the innermost one: every length up to some registers and
// around blocks of steps, few rows and many, against the interpreter.
#include "../support.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

using hs::Acc, hs::Array, hs::Exp, hs::Matrix, hs::Vector;

namespace {

class ScansAcross : public hasten_test::OnEveryDevice {
 protected:
  template <class P>
  static void expect_same(const P& program, const std::string& what) {
    EXPECT_EQ(run(program), hs::run(program, {.target = hs::interpreter()})) << what;
  }
};

const std::vector<std::int64_t> lengths{0, 1, 2, 3, 4, 7, 15, 16, 17, 31, 33, 64, 127, 129, 600};
const std::vector<std::int64_t> heights{0, 1, 7, 8, 9, 16, 40, 67};

std::vector<std::int32_t> some(std::int64_t n) {
  std::vector<std::int32_t> result(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<std::int32_t>(i * 7919 % 251) - 100;
  return result;
}

Acc<Matrix<std::int32_t>> table(std::int64_t rows, std::int64_t width) {
  return hs::use(Matrix<std::int32_t>({rows, width}, some(rows * width)));
}

// Affine maps; composing them needs an order. Numbers wrap.
using Affine = std::tuple<std::int32_t, std::int32_t>;
Exp<Affine> composed(const Exp<Affine>& f, const Exp<Affine>& g) {
  const auto [fa, fb] = f;
  const auto [ga, gb] = g;
  return std::tuple{fa * ga, fb * ga + gb};
}
Acc<Array<Affine, 2>> affine(const Acc<Matrix<std::int32_t>>& a) {
  return hs::map([](Exp<std::int32_t> x) { return Exp<Affine>{std::tuple{x | 1, x}}; }, a);
}

template <class Check>
void of_all_sizes(Check check) {
  for (const std::int64_t rows : heights)
    for (const std::int64_t length : lengths)
      check(rows, length, std::to_string(rows) + " by " + std::to_string(length));
}

TEST_P(ScansAcross, ShortRows) {
  of_all_sizes([](std::int64_t rows, std::int64_t length, const std::string& what) {
    const auto a = table(rows, length);
    expect_same(std::tuple{hs::scanl1(std::plus<>{}, a), hs::scanl(std::plus<>{}, 3, a),
                           hs::scanr(std::plus<>{}, 5, a)},
                what);
    // With an epilogue, of bytes, and with elements that are computed.
    expect_same(hs::cast<std::int8_t>(hs::scanl1(std::plus<>{}, a * 3 + 1)) * std::int8_t{2}, what);
  });
}

TEST_P(ScansAcross, OperatorsThatNeedAnOrder) {
  of_all_sizes([](std::int64_t rows, std::int64_t length, const std::string& what) {
    const auto a = affine(table(rows, length));
    expect_same(std::tuple{hs::scanl1(composed, a), hs::scanl(composed, Affine{1, 2}, a),
                           hs::prescanr(composed, Affine{1, 2}, a)},
                what);
  });
}

TEST_P(ScansAcross, OuterAxes) {
  of_all_sizes([](std::int64_t rows, std::int64_t length, const std::string& what) {
    const auto a = table(length, rows);
    expect_same(std::tuple{hs::scanl1_on<0>(std::plus<>{}, a), hs::scanl_on<0>(std::plus<>{}, 3, a),
                           hs::scanr_on<0>(std::plus<>{}, 4, a),
                           hs::prescanl_on<0>(std::plus<>{}, 5, a) * 2},
                what);
    expect_same(hs::scanl1_on<0>(composed, affine(a)), what);
    // Scans of the user's transposes, and a scan that has another reader.
    const auto scanned = hs::scanl(std::plus<>{}, 1, hs::transpose(a));
    expect_same(hs::transpose(scanned), what);
    expect_same(std::tuple{hs::transpose(scanned), hs::sum(scanned)}, what);
  });
}

// Whole rows step by step, some steps at a time, and strips of rows; steps that are cut everywhere.
TEST_P(ScansAcross, ManyColumns) {
  for (const std::int64_t columns : {1023, 1030, 2100, 8195})
    for (const std::int64_t length : {0, 1, 15, 16, 17, 40}) {
      const auto a = table(length, columns);
      expect_same(
          std::tuple{hs::scanl1_on<0>(std::plus<>{}, a), hs::scanl_on<0>(std::plus<>{}, 3, a),
                     hs::scanr_on<0>(std::plus<>{}, 4, a)},
          std::to_string(length) + " by " + std::to_string(columns));
      expect_same(hs::scanl1_on<0>(composed, affine(a)), std::to_string(length));
    }
}

TEST_P(ScansAcross, OuterAxesOfFour) {
  const hs::Ix<4> shape{3, 5, 4, 18};
  const auto a = hs::use(Array<std::int32_t, 4>(shape, some(3 * 5 * 4 * 18)));
  expect_same(std::tuple{hs::scanl1_on<0>(std::plus<>{}, a), hs::scanl_on<1>(std::plus<>{}, 2, a),
                         hs::scanr1_on<2>(std::plus<>{}, a), hs::scanl_on<3>(std::plus<>{}, 1, a)},
              "4 axes");
  expect_same(
      std::tuple{
          hs::scanl1_on<0>(composed,
                           hs::map([](auto x) { return Exp<Affine>{std::tuple{x | 1, x}}; }, a)),
          hs::transpose_on<0, 2>(hs::scanl1(std::plus<>{}, hs::transpose_on<1, 3>(a)))},
      "4 axes");
}

HASTEN_ON_EVERY_DEVICE(ScansAcross);

}  // namespace
