// Deep and wide programs: the stack does not overflow, and no traversal is exponential.
#include "tests/programs/support.hpp"

#include <functional>
#include <tuple>

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

// Operations that nothing simplifies, of which a vector loop's body becomes thousands of
// instructions with as many constants.
TEST_P(Depth, FunctionOf5000Operations) {
  const auto steps = [](auto x, auto sum) {
    for (int i = 0; i < 2'500; ++i) {
      x = i % 2 ? x ^ i : x + i;
      sum = sum + (x ^ (3 * i));
    }
    return sum;
  };
  const auto xs = hs::Vector<std::int64_t>::from_function(
      {131}, [](hs::Ix<1> i) { return i[0] * 7919 - 500'000; });
  const auto r = run(hs::map([=](Exp<std::int64_t> x) { return steps(x, x); }, hs::use(xs)));
  for (std::int64_t i = 0; i < xs.size(); ++i) ASSERT_EQ(r(i), steps(xs(i), xs(i))) << i;
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

// Reads inside functions are uses like all others: no array is computed twice at each level.
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

// Nested conditions, of which only those on the path are evaluated: the reads of all others would
// be out of range.
Exp<std::int32_t> chain_of(int length, const Acc<Vector<std::int32_t>>& table,
                           const Exp<std::int32_t>& x, bool in_else) {
  Exp<std::int32_t> y = -1;
  for (int i = 0; i < length; ++i) {
    const Exp<std::int32_t> here = table[x - i] + i;
    y = in_else ? hs::select(x == i, here, y) : hs::select(x != i, y, here);
  }
  return y;
}

void expect_chain(int length, const hs::Options& options) {
  const hs::Vector<std::int32_t> table{1000};
  const hs::Vector<std::int32_t> places{0, 1, 99, 100, 101, 199, 200, length - 1, length, -7};
  for (const bool in_else : {true, false}) {
    const auto r =
        hs::run(hs::map([&](auto x) { return chain_of(length, hs::use(table), x, in_else); },
                        hs::use(places)),
                options);
    for (std::int64_t i = 0; i < places.size(); ++i) {
      const std::int32_t x = places(i);
      EXPECT_EQ(r(i), x >= 0 && x < length ? 1000 + x : -1) << length << " at " << x;
    }
  }
}

TEST(Depth, ChainsOfConditions) {
  // The interpreter checks that no read is out of range.
  for (const int length : {20, 98, 99, 100, 101, 1'201, 6'000})
    expect_chain(length, {.target = hs::interpreter()});
#if HASTEN_WITH_LLVM
  for (const int length : {20, 101, 1'201}) expect_chain(length, {.target = hs::cpu()});
#endif
}

// As many nested conditions as the compilers of devices accept.
TEST(Depth, ChainsOfConditionsOnADevice) {
  hs::test::require_device("opencl");
  for (const int length : {20, 1'201}) expect_chain(length, {.target = hs::opencl(0)});
}

// Work between conditions, at which no chain can be cut: each condition is nested in the one after
// it, and a loop of many rounds is inside all of them.
Exp<std::int32_t> nest_of(int depth, const Acc<Vector<std::int32_t>>& table,
                          const Exp<std::int32_t>& x) {
  Exp<std::int32_t> y = hs::iterate(table[0], [](auto z) { return z + 2; }, 0);
  for (int i = 0; i < depth; ++i) y = hs::select(x == i, table[x - i], y * 3 + table[y & 0] % 7);
  return y;
}

// Consecutive conditions, each with its own branch.
Exp<std::int32_t> sum_of(int count, const Acc<Vector<std::int32_t>>& table,
                         const Exp<std::int32_t>& x) {
  Exp<std::int32_t> y = 0;
  for (int i = 0; i < count; ++i) y += hs::select(x == i, table[x - i], 1);
  return y;
}

void expect_nests_and_sums(int depth, int count, const hs::Options& options) {
  constexpr std::int32_t element = 1000;
  const hs::Vector<std::int32_t> table{element}, places{0, 1, depth / 2, depth - 1, depth, -7};
  const auto [nests, sums] = hs::run(
      std::tuple{
          hs::map([&](auto x) { return nest_of(depth, hs::use(table), x); }, hs::use(places)),
          hs::map([&](auto x) { return sum_of(count, hs::use(table), x); }, hs::use(places))},
      options);
  for (std::int64_t i = 0; i < places.size(); ++i) {
    const std::int32_t x = places(i);
    std::uint32_t y = 2 * element;
    for (std::int32_t level = 0; level < depth; ++level)
      y = x == level ? element : y * 3 + element % 7;
    EXPECT_EQ(nests(i), static_cast<std::int32_t>(y)) << depth << " at " << x;
    EXPECT_EQ(sums(i), x >= 0 && x < count ? count - 1 + element : count) << count << " at " << x;
  }
}

TEST(Depth, NestsAndSumsOfConditions) {
  expect_nests_and_sums(990, 1'600, {.target = hs::interpreter()});
#if HASTEN_WITH_LLVM
  expect_nests_and_sums(990, 1'600, {.target = hs::cpu()});
#endif
}

// Deeper than C compilers accept nested blocks.
TEST(Depth, NestsAndSumsOfConditionsOnADevice) {
  hs::test::require_device("opencl");
  expect_nests_and_sums(300, 100, {.target = hs::opencl(0)});
}

TEST(Depth, TooManyNestedConditionsAreABuildError) {
  const hs::Vector<std::int32_t> table{1, 2, 3};
  EXPECT_THROW(hs::run(hs::map(
                           [&](auto x) {
                             Exp<std::int32_t> y = 0;
                             for (int i = 0; i < 3'000; ++i)
                               y = hs::select(x == i, hs::use(table)[hs::ix(i % 3)], y + 1);
                             return y;
                           },
                           hs::use(table)),
                       {.target = hs::interpreter()}),
               hs::BuildError);
}

}  // namespace
