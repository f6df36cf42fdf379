// Deep and wide programs: no stack overflows, no walk is exponential.
#include "tests/programs/support.hpp"

#include <chrono>
#include <functional>

using hs::Acc, hs::Exp, hs::Vector;

namespace {

class Depth : public hasten_test::OnEveryTarget {};

TEST_P(Depth, ChainOf100000Maps) {
  Acc<Vector<std::int32_t>> a = hs::use(hs::Vector<std::int32_t>{1, 2, 3});
  for (int i = 0; i < 100'000; ++i) a = hs::map([](auto x) { return x + 1; }, a);
  const auto r = run(a);
  EXPECT_EQ(r(0), 100'001);
  EXPECT_EQ(r(2), 100'003);
}

TEST_P(Depth, TwentyFoldDoublingOfAScalar) {
  Exp<std::int64_t> x = 1;
  for (int i = 0; i < 20; ++i) x = x + x;
  EXPECT_EQ(run(x), 1 << 20);
}

TEST_P(Depth, SixtyFoldDoublingInAFunction) {
  const auto r = run(hs::map(
      [](auto x) {
        for (int i = 0; i < 60; ++i) x = x + x;
        return x;
      },
      hs::use(hs::Vector<std::int64_t>{1, 2})));
  EXPECT_EQ(r(1), std::int64_t{1} << 61);
}

TEST_P(Depth, TwentyFoldDoublingOfAnArray) {
  Acc<Vector<std::int64_t>> a = hs::use(hs::Vector<std::int64_t>{1, 5});
  for (int i = 0; i < 20; ++i) a = hs::zip_with(std::plus<>{}, a, a);
  EXPECT_EQ(run(a)(1), 5 << 20);
}

// Reads inside functions are uses like all others: none is computed twice at each level.
TEST_P(Depth, HalvingByReadsOfNeighbours) {
  std::int64_t m = 1 << 16;
  Acc<Vector<std::int64_t>> a = hs::iota(m);
  while (m > 1) {
    m /= 2;
    a = hs::generate(m, [=](Exp<std::int64_t> i) { return a[2 * i] + a[2 * i + 1]; });
  }
  EXPECT_EQ(run(a)(0), (std::int64_t{1} << 15) * ((1 << 16) - 1));
}

TEST_P(Depth, FortyLevelsOfTwoReads) {
  Acc<Vector<std::int64_t>> a = hs::use(hs::Vector<std::int64_t>{1, 1, 1});
  for (int i = 0; i < 40; ++i)
    a = hs::generate(3, [=](Exp<std::int64_t> x) { return a[x % 3] + a[(x + 1) % 3]; });
  EXPECT_EQ(run(a)(2), std::int64_t{1} << 40);
}

TEST_P(Depth, ChainOf2000Reads) {
  Acc<Vector<std::int32_t>> a = hs::use(hs::Vector<std::int32_t>{1, 2, 3});
  for (int i = 0; i < 2'000; ++i) a = hs::generate(3, [=](Exp<std::int64_t> x) { return a[x]; });
  EXPECT_EQ(run(a), (hs::Vector<std::int32_t>{1, 2, 3}));
}

TEST_P(Depth, ExpressionOf10000Terms) {
  const auto r = run(hs::map(
      [](auto x) {
        auto y = x;
        for (int i = 0; i < 10'000; ++i) y = (y ^ x) + i;
        return y;
      },
      hs::use(hs::Vector<std::uint32_t>{0, 12345})));
  std::uint32_t expected = 12345;
  for (std::uint32_t i = 0; i < 10'000; ++i) expected = (expected ^ 12345u) + i;
  EXPECT_EQ(r(1), expected);
}

TEST_P(Depth, ChainOf2000Selects) {
  const auto r = run(hs::map(
      [](auto x) {
        auto y = x;
        for (int i = 0; i < 2'000; ++i) y = hs::select(y < i, y + 2, y - 1);
        return y;
      },
      hs::use(hs::Vector<std::int32_t>{7, -3})));
  std::int32_t expected = -3;
  for (std::int32_t i = 0; i < 2'000; ++i) expected = expected < i ? expected + 2 : expected - 1;
  EXPECT_EQ(r(1), expected);
}

HASTEN_ON_EVERY_TARGET(Depth);

TEST(Depth, TooManyNestedConditionsAreABuildError) {
  const hs::Vector<std::int32_t> table{1, 2, 3};
  EXPECT_THROW(hs::run(hs::map(
                           [&](auto x) {
                             Exp<std::int32_t> y = 0;
                             for (int i = 0; i < 3'000; ++i)
                               y = hs::select(x == i, hs::use(table)[hs::ix(i % 3)], y);
                             return y;
                           },
                           hs::use(table)),
                       {.target = hs::interpreter()}),
               hs::BuildError);
}

// Front-end work per operation must not grow with the length of the program. Not a bound in
// seconds: a ratio of work, with a wide margin for noise.
TEST(Depth, FrontEndIsLinear) {
  const auto seconds = [](int maps) {
    Acc<Vector<std::int32_t>> a = hs::use(hs::Vector<std::int32_t>{});
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < maps; ++i) a = hs::map([](auto x) { return x + 1; }, a);
    hs::run(a, {.target = hs::interpreter()});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  seconds(1'000);
  EXPECT_LT(seconds(40'000) / 40'000, 10 * seconds(4'000) / 4'000);
}

}  // namespace
